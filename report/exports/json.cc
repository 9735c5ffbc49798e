// SPDX-License-Identifier: BSD-3-Clause
#include "report/exports/json.h"

#include <string>
#include <vector>

#include "archive/profile/absence.h"
#include "archive/profile/absent_locations.h"
#include "report/figures.h"
#include "report/json_string.h"
#include "report/views/advice.h"
#include "view/exact.h"

namespace epik::report {

using archive::kNone;
using archive::Profile;
using archive::Type;

namespace {

constexpr int kVersion = 1;

std::string Id(uint32_t id) { return id == kNone ? "null" : std::to_string(id); }

const char* TypeName(Type type) {
  switch (type) {
    case Type::kUint64: return "uint64";
    case Type::kMin: return "min";
    case Type::kMax: return "max";
    default: return "double";
  }
}

// [
// {…},
// {…}
// ]: one entry a line, so that reports can be compared with diff.
template <class Entry>
void WriteList(Buffer& out, const char* name, size_t count, Entry&& entry) {
  out << ",\n\"" << name << "\": [";
  for (uint32_t i = 0; i < count; ++i) {
    out << (i == 0 ? "\n  {" : ",\n  {") << entry(i) << "}";
  }
  out << "\n]";
}

// The reason why the metric could not be measured, with the ranks unless it was missing on all.
std::string Missing(const Profile& p, uint32_t m) {
  const std::vector<bool> absent = archive::AbsentLocations(p, m);
  if (absent.empty()) return "";
  std::string text = ", \"missing\": " + JsonString(archive::ReadAbsence(p.metrics[m].description).why);
  if (p.IsMissing(m)) return text;
  text += ", \"missing_at\": [";
  const char* separator = "";
  for (uint32_t l = 0; l < absent.size(); ++l) {
    if (!absent[l]) continue;
    text += separator + Id(l);
    separator = ", ";
  }
  return text + "]";
}

void WriteDefinitions(const Profile& p, Buffer& out) {
  WriteList(out, "locations", p.locations.size(), [&](uint32_t l) {
    const archive::Location& location = p.locations[l];
    const bool known = location.process < p.processes.size();
    const uint32_t node = known ? p.processes[location.process].host : kNone;
    return "\"id\": " + Id(l) + ", \"rank\": " + std::to_string(RankOf(p, l)) +
           ", \"thread\": " + std::to_string(location.thread) + ", \"name\": " + JsonString(location.name) +
           ", \"process\": " + JsonString(known ? p.processes[location.process].name : "") +
           ", \"node\": " + JsonString(node < p.hosts.size() ? p.hosts[node].name : "");
  });
  const std::vector<Class> classes = ClassifyRegions(p);
  WriteList(out, "regions", p.regions.size(), [&](uint32_t r) {
    const archive::Region& region = p.regions[r];
    return "\"id\": " + Id(r) + ", \"name\": " + JsonString(region.name) +
           ", \"mangled\": " + JsonString(region.mangled) + ", \"file\": " + JsonString(region.file) +
           ", \"begin_line\": " + std::to_string(region.begin_line) +
           ", \"end_line\": " + std::to_string(region.end_line) + ", \"paradigm\": " + JsonString(region.paradigm) +
           ", \"role\": " + JsonString(region.role) + ", \"class\": " + JsonString(ClassName(classes[r])) +
           ", \"description\": " + JsonString(region.description);
  });
  WriteList(out, "callpaths", p.call_paths.size(), [&](uint32_t c) {
    return "\"id\": " + Id(c) + ", \"parent\": " + Id(p.call_paths[c].parent) +
           ", \"region\": " + Id(p.call_paths[c].region);
  });
  WriteList(out, "metrics", p.metrics.size(), [&](uint32_t m) {
    const archive::Metric& metric = p.metrics[m];
    return "\"id\": " + Id(m) + ", \"unique_name\": " + JsonString(metric.unique_name) +
           ", \"display_name\": " + JsonString(metric.display_name) + ", \"unit\": " + JsonString(metric.unit) +
           ", \"description\": " + JsonString(metric.description) + ", \"type\": \"" + TypeName(metric.type) +
           "\", \"along\": \"" + (metric.along == archive::Along::kInclusive ? "inclusive" : "exclusive") +
           "\", \"parent\": " + Id(metric.parent) + Missing(p, m);
  });
}

// Calls cell(path, location) for each cell with a value.
template <class Each>
void EachCell(const Profile& p, const archive::Values& values, Each&& each) {
  const uint64_t empty = archive::Values::EmptyBits(values.type());
  for (uint32_t path = 0; path < p.call_paths.size(); ++path) {
    const uint64_t* row = values.Row(path);
    for (uint32_t l = 0; row != nullptr && l < p.locations.size(); ++l) {
      if (row[l] != empty) each(path, l);
    }
  }
}

void WriteValues(const Profile& p, uint32_t metric, Buffer& out) {
  const archive::Values& values = p.values[metric];
  const auto column = [&](const char* name, auto&& text) {
    bool first = true;
    out << ", \"" << name << "\": [";
    EachCell(p, values, [&](uint32_t path, uint32_t l) {
      out << (first ? "" : ",") << text(path, l);
      first = false;
    });
    out << "]";
  };
  out << "\"metric\": " << JsonString(p.metrics[metric].unique_name);
  column("callpath", [](uint32_t path, uint32_t) { return std::to_string(path); });
  column("location", [](uint32_t, uint32_t l) { return std::to_string(l); });
  column("value", [&](uint32_t path, uint32_t l) {
    if (values.type() == Type::kUint64) return std::to_string(values.Integer(path, l));
    return view::JsonNumber(values.Real(path, l));
  });
}

}  // namespace

void WriteJson(const Profile& profile, const archive::Manifest& manifest, const Sink& sink) {
  Buffer out(sink);
  out << "{\n\"format\": \"epik-report\",\n\"version\": " << std::to_string(kVersion);
  out << ",\n\"manifest\": " << manifest.ToJson();
  out << ",\n\"machine\": " << JsonString(profile.machine);
  WriteDefinitions(profile, out);
  out << ",\n\"values\": [";
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    out << (m == 0 ? "\n  {" : ",\n  {");
    WriteValues(profile, m, out);
    out << "}";
  }
  out << "\n],\n\"advice\": [";
  const bool nothing = profile.call_paths.empty() || profile.locations.empty();
  const std::vector<std::string> advice =
      nothing ? std::vector<std::string>() : Advise(Figures(profile), manifest, nullptr, "tree", "");
  for (const std::string& sentence : advice) out << (&sentence == advice.data() ? "" : ", ") << JsonString(sentence);
  out << "]\n}\n";
}

}  // namespace epik::report
