// SPDX-License-Identifier: BSD-3-Clause
// Looks for the next or the last call of a region, over all locations, in windows of time that grow.
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <chrono>

#include "analysis/timeline/draw.h"
#include "archive/trace/location_reader.h"

namespace epik::timeline {
namespace {

constexpr auto kPatience = std::chrono::seconds(3);
constexpr int64_t kFirstWindow = 1'000'000;   // nanoseconds
constexpr uint64_t kMostOfCall = 20'000'000;  // events of a call that ends late

std::string Lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::vector<bool> Matching(const archive::Profile& profile, const std::string& text) {
  const std::string wanted = Lower(text);
  const bool is_glob = wanted.find_first_of("*?") != std::string::npos;
  std::vector<bool> matches;
  for (const archive::Region& region : profile.regions) {
    const std::string name = Lower(region.name);
    matches.push_back(is_glob ? fnmatch(wanted.c_str(), name.c_str(), 0) == 0 : name.find(wanted) != std::string::npos);
  }
  return matches;
}

// Finds enters of one location within (from, to): the one nearest to the begin of the search.
class Finder {
 public:
  Finder(const archive::TraceArchive& traces, const Timeline& timeline, const std::vector<bool>& matches)
      : traces_(traces), timeline_(timeline), matches_(matches) {}

  // Returns false if it finds no call. Nanoseconds are rounded, so readers begin a few ticks early.
  bool Find(uint32_t stream, int64_t from, int64_t to, bool last, DrawnCall* call) const {
    const archive::TraceArchive::Stream& of = traces_.streams()[stream];
    const archive::TraceArchive::Process& process = *traces_.processes()[of.process];
    archive::LocationReader reader(&process.file, of.number,
                                   [&](uint32_t node) { return traces_.ParentOfNode(of.process, node); });
    reader.Seek(EarlyTicks(process, from));
    bool found = false;
    for (archive::Event event; reader.Next(&event);) {
      const int64_t ns = process.clock.Ns(event.time);
      if (ns >= to) break;
      if (ns <= from || event.kind != event::RecordKind::kEnter || event.made_up) continue;
      const uint32_t path = traces_.CallPath(of.process, event.node);
      const auto& paths = traces_.definitions().profile.call_paths;
      if (path >= paths.size() || !matches_[paths[path].region]) continue;
      found = true;
      *call = {ns, ns, event.depth, path, ns, ns};
      if (!last) break;
    }
    if (found) call->leave = call->ended = LeaveOf(stream, *call);
    return found;
  }

 private:
  static uint64_t EarlyTicks(const archive::TraceArchive::Process& process, int64_t ns) {
    constexpr uint64_t kEarly = 8;
    const uint64_t ticks = process.clock.Ticks(ns);
    return ticks > kEarly ? ticks - kEarly : 0;
  }

  int64_t LeaveOf(uint32_t stream, const DrawnCall& call) const {
    const archive::TraceArchive::Stream& of = traces_.streams()[stream];
    const archive::TraceArchive::Process& process = *traces_.processes()[of.process];
    if (of.location < timeline_.long_calls.size()) {
      const LongCall* known = LongCallAt(timeline_.long_calls[of.location], call.depth, call.enter);
      if (known != nullptr && known->enter == call.enter) return known->leave;
    }
    archive::LocationReader reader(&process.file, of.number);
    reader.Seek(EarlyTicks(process, call.enter));
    int64_t ns = call.enter;
    uint64_t read = 0;
    bool inside = false, ended = false;
    for (archive::Event event; read < kMostOfCall; ++read) {
      if (!reader.Next(&event)) {
        ended = true;
        break;
      }
      ns = process.clock.Ns(event.time);
      const bool same = event.depth == call.depth;
      if (event.kind == event::RecordKind::kEnter && same && ns >= call.enter) {
        if (inside) break;
        inside = true;
      }
      if (event.kind == event::RecordKind::kExit && same && inside) break;
    }
    // A call without an exit lasts until its process ended.
    if (ended) ns = std::max(ns, process.clock.Ns(process.map.last_ticks));
    return std::max(ns, call.enter);
  }

  const archive::TraceArchive& traces_;
  const Timeline& timeline_;
  const std::vector<bool>& matches_;
};

}  // namespace

Found Artist::Find(const Search& search) const {
  const std::vector<bool> matches = Matching(archive_->definitions().profile, search.text);
  const Finder finder(*archive_, *timeline_, matches);
  const auto begin = std::chrono::steady_clock::now();
  Found found;
  found.until = search.from;
  if (std::find(matches.begin(), matches.end(), true) == matches.end()) {
    found.until = search.back ? timeline_->from : timeline_->to;
    return found;
  }
  int64_t width = kFirstWindow;
  while (search.back ? found.until > timeline_->from : found.until <= timeline_->to) {
    const int64_t from = search.back ? found.until - width : found.until;
    const int64_t to = search.back ? found.until : found.until + width;
    for (uint32_t stream = 0; stream < archive_->streams().size(); ++stream) {
      DrawnCall call;
      // Windows include their begin, except the first one, because the search goes on after that time.
      const bool first = found.until == search.from && !search.back;
      if (!finder.Find(stream, first ? from : from - 1, to, search.back, &call)) continue;
      const bool nearer =
          found.column == kNoPath || (search.back ? call.enter > found.call.enter : call.enter < found.call.enter);
      if (!nearer) continue;
      found.column = archive_->streams()[stream].location;
      found.call = call;
    }
    found.until = search.back ? from : to;
    width = std::min<int64_t>(width * 4, int64_t{1} << 50);
    if (found.column != kNoPath || std::chrono::steady_clock::now() - begin > kPatience) break;
  }
  found.until = std::clamp(found.until, timeline_->from, timeline_->to);
  if (found.column != kNoPath) {
    const archive::Profile& profile = archive_->definitions().profile;
    found.region = profile.regions[profile.call_paths[found.call.path].region].name;
  }
  return found;
}

}  // namespace epik::timeline
