// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/trace_archive.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "archive/files/byte_source.h"
#include "archive/files/manifest.h"
#include "archive/symbols/names.h"

namespace epik::archive {

namespace {

constexpr uint64_t kLargestDefinitions = uint64_t{1} << 32;
constexpr size_t kKnown = 4096;  // a power of two

uint32_t Find(const NumberMap& map, uint64_t number) {
  const auto found = std::lower_bound(map.begin(), map.end(), number,
                                      [](const auto& entry, uint64_t wanted) { return entry.first < wanted; });
  return found != map.end() && found->first == number ? found->second : kNone;
}

uint32_t Below(uint32_t number, size_t count) { return number < count ? number : kNone; }

std::string NameOf(const TraceArchive& archive, const TraceArchive::Stream& stream) {
  return "rank " + std::to_string(archive.processes()[stream.process]->map.rank) + ", thread " +
         std::to_string(stream.number);
}

// Explains why a run that logged a trace has none; "" when that is not known.
std::string WhyThereIsNone(const std::string& path) {
  std::string text;
  std::string ignored;
  Manifest manifest;
  if (!ReadFile(path + "/manifest.json", Manifest::kLargest, &text, &ignored)) return "";
  if (!Manifest::FromJson(text, &manifest, &ignored)) return "";
  const std::string& format = manifest.trace.format;
  if (format == "analysis") {
    return "the run analysed its trace and did not keep it (EPK_ANALYZE); see epk report --waits";
  }
  if (format == "otf2") return "the run wrote its trace as OTF2 (EPK_TRACE_FORMAT); EPIK analyses traces of its own";
  return manifest.trace.there ? "" : "the run wrote none; epk run -t comm writes one";
}

}  // namespace

bool TraceArchive::Open(const std::string& path, std::string* error, int32_t only) {
  path_ = path;
  while (path_.size() > 1 && path_.back() == '/') path_.pop_back();
  std::string definitions;
  std::vector<ProcessMap> maps;
  struct stat folder {};
  if (::stat(path_.c_str(), &folder) != 0) {
    *error = path + ": " + std::strerror(errno);
    return false;
  }
  if (!ReadFile(path_ + "/" + kDefinitionsName, kLargestDefinitions, &definitions, error) ||
      !UnpackDefinitions(definitions, &definitions_, error) ||
      !ReadMaps(path_ + "/" + kMapsName, &maps, &problems_, error)) {
    const std::string why = WhyThereIsNone(path_);
    *error = path + ": no trace that can be read: " + (why.empty() ? *error : why);
    return false;
  }
  std::stable_sort(maps.begin(), maps.end(), [](const ProcessMap& a, const ProcessMap& b) { return a.rank < b.rank; });
  // (rank, number of the thread) -> location
  std::map<std::pair<int, int>, uint32_t> locations;
  const Profile& profile = definitions_.profile;
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    const Location& location = profile.locations[l];
    locations.emplace(std::pair(profile.processes[location.process].rank, location.thread), l);
  }
  for (ProcessMap& map : maps) {
    metrics_.insert(metrics_.end(), map.metrics.begin(), map.metrics.end());
    knows_folded_ = knows_folded_ || !map.of_constructs.empty();
    if (map.file.empty() || (only >= 0 && map.rank != only)) continue;
    auto process = std::make_unique<Process>();
    process->clock = Clock(map.clock, definitions_.origin_ns);
    std::string problem;
    if (!process->file.Open(path_ + "/" + map.file, &problem)) {
      problems_.push_back(problem);
      continue;
    }
    for (const Damage& damage : process->file.damage()) {
      problems_.push_back(map.file + ", byte " + std::to_string(damage.offset) + ": " + damage.what +
                          (damage.bytes == 0 ? "" : " (" + std::to_string(damage.bytes) + " bytes)"));
    }
    std::set<uint32_t> numbers;
    for (const epilog::IndexEntry& block : process->file.blocks()) numbers.insert(block.location);
    for (const uint32_t number : numbers) {
      const auto found = locations.find({map.rank, static_cast<int>(number)});
      streams_.push_back(
          {static_cast<uint32_t>(processes_.size()), number, found == locations.end() ? kNone : found->second});
    }
    process->map = std::move(map);
    processes_.push_back(std::move(process));
  }
  has_folded_ = std::any_of(profile.regions.begin(), profile.regions.end(),
                            [](const archive::Region& region) { return symbols::IsOmpOutlined(region.mangled); });
  if (!processes_.empty() || only >= 0) return true;
  *error = path + ": no trace that can be read" + (problems_.empty() ? "" : ": " + problems_.front());
  return false;
}

uint32_t TraceArchive::CallPath(uint32_t process, uint32_t node) const {
  return Below(Find(processes_[process]->map.nodes, node), definitions_.profile.call_paths.size());
}
uint32_t TraceArchive::Region(uint32_t process, uint64_t number) const {
  return Below(Find(processes_[process]->map.regions, number), definitions_.profile.regions.size());
}
uint32_t TraceArchive::CommunicatorOf(uint32_t process, uint64_t number) const {
  return Below(Find(processes_[process]->map.communicators, number), definitions_.communicators.size());
}
uint32_t TraceArchive::WindowOf(uint32_t process, uint64_t number) const {
  return Below(Find(processes_[process]->map.windows, number), definitions_.windows.size());
}

const MetricName* TraceArchive::Metric(uint32_t process, uint64_t number) const {
  for (const MetricName& metric : processes_[process]->map.metrics) {
    if (metric.number == number) return &metric;
  }
  return nullptr;
}

uint32_t TraceArchive::ParentOfNode(uint32_t process, uint32_t node) const {
  const std::vector<archive::CallPath>& paths = definitions_.profile.call_paths;
  const uint32_t path = CallPath(process, node);
  if (path == kNone || paths[path].parent == kNone) return 0;
  Process& asked = *processes_[process];
  std::call_once(asked.asked, [&] {
    asked.node_of.resize(paths.size());
    for (const auto& [own, global] : asked.map.nodes) {
      if (global < asked.node_of.size()) asked.node_of[global] = own;
    }
  });
  return asked.node_of[paths[path].parent];
}

// A recursion that is folded has one call path for several nodes, too, and each call is a visit.
bool TraceArchive::IsOfConstruct(uint32_t process, uint32_t node) const {
  const std::vector<uint32_t>& nodes = processes_[process]->map.of_constructs;
  return !knows_folded_ || std::binary_search(nodes.begin(), nodes.end(), node);
}

std::string_view TraceArchive::NameOfNode(uint32_t process, uint32_t node) const {
  const uint32_t path = CallPath(process, node);
  if (path == kNone) return node == 0 ? "?" : "(folded)";
  return definitions_.profile.regions[definitions_.profile.call_paths[path].region].name;
}

TraceReader::TraceReader(const TraceArchive* archive, std::vector<uint32_t> streams)
    : archive_(archive), streams_(std::move(streams)), known_(kKnown) {
  if (streams_.empty()) {
    streams_.resize(archive->streams().size());
    std::iota(streams_.begin(), streams_.end(), 0u);
  }
  for (const uint32_t stream : streams_) {
    const TraceArchive::Stream& at = archive->streams()[stream];
    const TraceArchive::Process& process = *archive->processes()[at.process];
    merged_.Add(&process.file, at.number, &process.clock,
                [archive, p = at.process](uint32_t node) { return archive->ParentOfNode(p, node); });
  }
}

// Returns true when the event is not shown. The depth of other events does not count frames that are not shown.
bool TraceReader::Fold(Item* item) const {
  const uint32_t process = archive_->streams()[item->stream].process;
  const std::vector<uint32_t>& open = merged_.stack();
  const size_t within = open.size() - (item->event.kind == event::RecordKind::kEnter ? 1 : 0);
  const bool is_call = item->event.kind == event::RecordKind::kEnter || item->event.kind == event::RecordKind::kExit;
  if (is_call && within > 0 && within <= open.size() && archive_->Folds(process, open[within - 1], item->event.node)) {
    return true;
  }
  for (size_t i = 1; i < within && i < open.size(); ++i) {
    if (archive_->Folds(process, open[i - 1], open[i]) && item->event.depth > 0) --item->event.depth;
  }
  return false;
}

bool TraceReader::Next(Item* item) {
  do {
    uint32_t source = 0;
    if (!merged_.Next(&item->event, &source, &item->ns)) return false;
    item->stream = streams_[source];
  } while (archive_->HasFolded() && Fold(item));
  const uint32_t process = archive_->streams()[item->stream].process;
  Known& known = known_[(item->event.node ^ process * 0x9e37u) % kKnown];
  if (known.process != process || known.node != item->event.node) {
    known = {process, item->event.node, archive_->CallPath(process, item->event.node)};
  }
  item->call_path = known.path;
  return true;
}

std::vector<std::string> TraceReader::Problems() const {
  std::vector<std::string> problems;
  for (uint32_t i = 0; i < streams_.size(); ++i) {
    for (const Damage& damage : merged_.damage(i)) {
      problems.push_back(NameOf(*archive_, archive_->streams()[streams_[i]]) + ", byte " +
                         std::to_string(damage.offset) + ": " + damage.what);
    }
  }
  return problems;
}

}  // namespace epik::archive
