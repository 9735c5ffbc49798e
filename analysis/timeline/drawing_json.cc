// SPDX-License-Identifier: BSD-3-Clause
// The format that the page and `epk view --export` share: epik-timeline 1 (docs/formats.md).
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>

#include "analysis/patterns/patterns.h"
#include "analysis/timeline/draw.h"

namespace epik::timeline {
namespace {

std::string Quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void Append(std::string* out, const char* separator, int64_t number) {
  *out += separator;
  *out += std::to_string(number);
}

// Three digits are enough for a share.
std::string ShareText(double share) {
  char text[16];
  return {text, std::to_chars(text, std::end(text), share, std::chars_format::general, 3).ptr};
}

std::string NumberText(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", number);
  return text;
}

template <class List, class Write>
std::string Joined(const List& list, const Write& write) {
  std::string out = "[";
  for (const auto& item : list) {
    if (out.size() > 1) out += ',';
    out += write(item);
  }
  return out + "]";
}

}  // namespace

// Call paths and regions that a drawing uses, numbered in the order of their use; callers before their callees.
class PathTable {
 public:
  PathTable(const archive::Profile& profile, const std::vector<Kind>& kinds) : profile_(profile), kinds_(kinds) {}

  int64_t Number(uint32_t path) {
    if (path >= profile_.call_paths.size()) return -1;
    const auto known = number_of_.find(path);
    if (known != number_of_.end()) return known->second;
    std::vector<uint32_t> chain;
    for (uint32_t at = path; at != archive::kNone && number_of_.count(at) == 0; at = profile_.call_paths[at].parent) {
      chain.push_back(at);
    }
    for (size_t i = chain.size(); i-- > 0;) Add(chain[i]);
    return number_of_[path];
  }

  std::string PathsJson() const {
    return Joined(paths_, [](const std::array<int64_t, 3>& row) {
      return "[" + std::to_string(row[0]) + "," + std::to_string(row[1]) + "," + std::to_string(row[2]) + "]";
    });
  }
  std::string RegionsJson() const {
    return Joined(regions_, [&](const std::pair<uint32_t, uint32_t>& row) {
      return "[" + Quoted(profile_.regions[row.first].name) + "," + std::to_string(row.second) + "]";
    });
  }

 private:
  void Add(uint32_t path) {
    const archive::CallPath& of = profile_.call_paths[path];
    const auto [region, is_new] = region_of_.emplace(of.region, regions_.size());
    if (is_new) regions_.emplace_back(of.region, static_cast<uint32_t>(kinds_[path]));
    const int64_t parent = of.parent == archive::kNone ? -1 : number_of_[of.parent];
    number_of_.emplace(path, static_cast<int64_t>(paths_.size()));
    paths_.push_back({static_cast<int64_t>(region->second), parent, path});
  }

  const archive::Profile& profile_;
  const std::vector<Kind>& kinds_;
  std::unordered_map<uint32_t, int64_t> number_of_;
  std::unordered_map<uint32_t, size_t> region_of_;
  std::vector<std::array<int64_t, 3>> paths_;
  std::vector<std::pair<uint32_t, uint32_t>> regions_;
};

std::string Artist::RowJson(const DrawnRow& row, PathTable* paths) const {
  const archive::Profile& profile = archive_->definitions().profile;
  const archive::Location& location = profile.locations[row.members[0]];
  const archive::Process& process = profile.processes[location.process];
  std::string out = "{\"name\":\"" + std::to_string(process.rank) + ":" + std::to_string(location.thread) + "\"";
  out += ",\"rank\":" + std::to_string(process.rank) + ",\"thread\":" + std::to_string(location.thread);
  out += ",\"host\":" + Quoted(process.host < profile.hosts.size() ? profile.hosts[process.host].name : "");
  out += ",\"apart\":" + std::to_string(row.apart_from == kNoPath ? -1 : static_cast<int64_t>(row.apart_from));
  out += ",\"members\":" + Joined(row.members, [](uint32_t member) { return std::to_string(member); });
  std::string shares, path, waiting;
  for (size_t bin = 0; bin < row.bins.size(); ++bin) {
    const char* comma = bin == 0 ? "" : ",";
    shares += comma;
    shares += '[';
    for (uint32_t p = row.bins.begin[bin]; p < row.bins.begin[bin + 1]; ++p) {
      Append(&shares, p == row.bins.begin[bin] ? "" : ",", row.bins.parts[p].kind);
      shares += "," + ShareText(row.bins.parts[p].share / 65535.0);
    }
    shares += ']';
    Append(&path, comma, paths->Number(row.bins.path[bin]));
    waiting += comma + ShareText(row.bins.waiting[bin] / 255.0);
  }
  out += ",\"shares\":[" + shares + "],\"path\":[" + path + "],\"waiting\":[" + waiting + "],\"calls\":";
  if (!row.has_calls) return out + "null,\"cut\":[]}";
  out += Joined(row.calls, [&](const DrawnCall& call) {
    return "[" + std::to_string(call.enter) + "," + std::to_string(call.leave) + "," + std::to_string(call.depth) +
           "," + std::to_string(paths->Number(call.path)) + "]";
  });
  std::string cut;
  for (size_t i = 0; i < row.calls.size(); ++i) {
    if (!row.calls[i].is_cut()) continue;
    Append(&cut, cut.empty() ? "[" : ",[", static_cast<int64_t>(i));
    Append(&cut, ",", row.calls[i].began);
    Append(&cut, ",", row.calls[i].ended);
    cut += ']';
  }
  return out + ",\"cut\":[" + cut + "]}";
}

// `row`: the number of a location's row, as text.
template <class Row>
std::string WaitsJson(const Drawing& drawing, const Row& row, PathTable* paths) {
  const auto members = [&](const Wait& w) {
    return row(w.location) + "," + std::to_string(w.from) + "," + std::to_string(w.to) + ",\"" +
           kPatternNames[w.pattern] + "\"," + row(w.cause) + "," + std::to_string(w.caused);
  };
  const auto wait = [&](const Wait& w) { return "[" + members(w) + "]"; };
  const auto with_path = [&](const Wait& w) {
    return "[" + members(w) + "," + std::to_string(paths->Number(w.path)) + "]";
  };
  std::string further;
  for (size_t i = 0; i < drawing.waits.items.size(); ++i) {
    if (drawing.waits.items[i].goes_on) Append(&further, further.empty() ? "" : ",", static_cast<int64_t>(i));
  }
  std::string out = "\"waits\":{\"one_of\":" + std::to_string(drawing.waits.one_of);
  out += ",\"list\":" + Joined(drawing.waits.items, wait) + ",\"further\":[" + further + "]}";
  out += ",\"waiting\":{\"one_of\":" + std::to_string(drawing.waiting_one_of) + ",\"list\":";
  out += Joined(drawing.waiting, [](const PatternSum& sum) {
    return std::string("[\"") + kPatternNames[sum.pattern] + "\"," + std::to_string(sum.ns) + "," +
           std::to_string(sum.waits) + "]";
  });
  return out + "},\"longest\":" + Joined(drawing.longest, with_path);
}

std::string Artist::ToJson(const Drawing& drawing) const {
  const archive::TraceDefinitions& definitions = archive_->definitions();
  PathTable paths(definitions.profile, kind_of_);
  std::vector<int64_t> row_of(definitions.profile.locations.size(), -1);
  for (size_t row = 0; row < drawing.rows.size(); ++row) {
    for (const uint32_t member : drawing.rows[row].members) row_of[member] = static_cast<int64_t>(row);
  }
  const auto row = [&](uint32_t column) { return std::to_string(column < row_of.size() ? row_of[column] : -1); };
  const auto communicator = [&](uint32_t number) {
    return Quoted(number < definitions.communicators.size() ? definitions.communicators[number].name : "");
  };
  std::string out = "{\"format\":\"epik-timeline\",\"version\":1";
  out += ",\"from_ns\":" + std::to_string(drawing.from) + ",\"to_ns\":" + std::to_string(drawing.to);
  out += ",\"bin_ns\":" + std::to_string(drawing.bin_width) + ",\"bins\":" + std::to_string(drawing.bins);
  out += ",\"whole_ns\":[" + std::to_string(timeline_->from) + "," + std::to_string(timeline_->to) + "]";
  out += ",\"rows_in_all\":" + std::to_string(definitions.profile.locations.size());
  out += ",\"kinds\":" + Joined(kKinds, [](const KindInfo& kind) {
           return std::string("{\"name\":\"") + kind.words + "\",\"key\":\"" + kind.key + "\"}";
         });
  out += ",\"patterns\":" + Joined(patterns::AllPatterns(), [](const patterns::PatternInfo* info) {
           return std::string("[\"") + info->name + "\"," + Quoted(info->label) + "]";
         });
  out += ",\"rows\":" + Joined(drawing.rows, [&](const DrawnRow& each) { return RowJson(each, &paths); });
  out += ",\"messages\":{\"one_of\":" + std::to_string(drawing.messages.one_of) + ",\"list\":";
  out += Joined(drawing.messages.items, [&](const Message& m) {
    return "[" + row(m.from) + "," + std::to_string(m.sent) + "," + row(m.to) + "," + std::to_string(m.received) + "," +
           std::to_string(m.bytes) + "," + std::to_string(m.tag) + "," + communicator(m.communicator) + "]";
  });
  out += "}," + WaitsJson(drawing, row, &paths);
  out += ",\"collectives\":" + Joined(drawing.meetings, [&](const Meeting& m) {
           const int64_t path = paths.Number(m.path);
           const std::string name =
               path < 0 ? "" : definitions.profile.regions[definitions.profile.call_paths[m.path].region].name;
           return "[" + Quoted(name) + "," + std::to_string(m.first_in) + "," + std::to_string(m.last_in) + "," +
                  std::to_string(m.last_out) + "," + communicator(m.communicator) + "]";
         });
  out += ",\"critical\":" + Joined(drawing.critical, [&](const Stretch& s) {
           return "[" + row(s.location) + "," + std::to_string(s.from) + "," + std::to_string(s.to) + "]";
         });
  out += ",\"markers\":" + Joined(drawing.markers, [&](const Marker& m) {
           return "[" + row(m.location) + "," + std::to_string(m.from) + "," + std::to_string(m.to) + ",\"" +
                  kMarkNames[static_cast<size_t>(m.mark)] + "\"]";
         });
  out += ",\"curves\":" + Joined(drawing.curves, [&](const Curve& curve) {
           return "{\"row\":" + row(curve.location) + ",\"name\":" + Quoted(curve.name) +
                  ",\"unit\":" + Quoted(curve.unit) + ",\"points\":" +
                  Joined(curve.points,
                         [](const Curve::Point& point) {
                           return "[" + std::to_string(point.at) + "," + NumberText(point.least) + "," +
                                  NumberText(point.most) + "," + NumberText(point.last) + "]";
                         }) +
                  "}";
         });
  out += ",\"regions\":" + paths.RegionsJson() + ",\"paths\":" + paths.PathsJson();
  out += ",\"left_out\":" + Joined(drawing.left_out, Quoted);
  return out + "}\n";
}

std::string Artist::ToJson(const Found& found) const {
  std::string out = "{\"until_ns\":" + std::to_string(found.until) + ",\"whole_ns\":[" +
                    std::to_string(timeline_->from) + "," + std::to_string(timeline_->to) + "],\"column\":";
  if (found.column == kNoPath) return out + "-1}\n";
  const archive::Profile& profile = archive_->definitions().profile;
  const archive::Location& location = profile.locations[found.column];
  std::vector<std::string> chain;
  for (uint32_t path = found.call.path; path < profile.call_paths.size(); path = profile.call_paths[path].parent) {
    chain.push_back(profile.regions[profile.call_paths[path].region].name);
  }
  std::reverse(chain.begin(), chain.end());
  return out + std::to_string(found.column) + ",\"name\":\"" +
         std::to_string(profile.processes[location.process].rank) + ":" + std::to_string(location.thread) +
         "\",\"kind\":" + std::to_string(static_cast<int>(kind_of_[found.call.path])) +
         ",\"callpath\":" + std::to_string(found.call.path) + ",\"chain\":" + Joined(chain, Quoted) +
         ",\"enter\":" + std::to_string(found.call.enter) + ",\"leave\":" + std::to_string(found.call.leave) +
         ",\"depth\":" + std::to_string(found.call.depth) + ",\"region\":" + Quoted(found.region) + "}\n";
}

}  // namespace epik::timeline
