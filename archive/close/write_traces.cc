// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/write_traces.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "archive/files/atomic_file.h"

namespace epik::archive {

namespace {

NumberMap Translate(const std::vector<std::pair<uint32_t, uint32_t>>& own, const std::vector<uint32_t>& numbers) {
  NumberMap map;
  map.reserve(own.size());
  for (const auto& [number, definition] : own) {
    if (definition < numbers.size() && numbers[definition] != kNone) map.emplace_back(number, numbers[definition]);
  }
  return map;
}

// The nodes whose call path is that of their caller, though the process has another one for it.
std::vector<uint32_t> NodesOfConstructs(const ProcessPart& part, const std::vector<uint32_t>& numbers) {
  const std::vector<CallPath>& paths = part.definitions.paths;
  std::vector<uint32_t> nodes;
  for (const auto& [node, path] : part.trace.nodes) {
    const uint32_t caller = path < paths.size() ? paths[path].parent : kNone;
    if (caller >= numbers.size() || path >= numbers.size() || numbers[path] == kNone) continue;
    if (numbers[path] == numbers[caller]) nodes.push_back(node);
  }
  return nodes;
}

bool WriteAt(int fd, const std::string& bytes, uint64_t at) {
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t n = pwrite(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    done += static_cast<size_t>(n);
  }
  return true;
}

// Turns runs of ranks into lists. A run has a few bytes, however many ranks it names. So the total length of the lists
// is limited by the number of processes. Communicators beyond the limit are unknown.
class Expansion {
 public:
  Expansion(uint32_t ranks, size_t processes, size_t communicators)
      : ranks_(ranks),
        room_(kForAny + (processes * kForEachProcess) + communicators * std::min<size_t>(ranks, processes)) {}

  // Whether all of them are ranks of this job. MPI_Comm_spawn and MPI_Comm_connect add other processes.
  bool AreOfJob(const std::vector<event::RankRun>& runs) const {
    const auto is_rank = [&](int64_t rank) { return rank >= 0 && rank < ranks_; };
    return std::all_of(runs.begin(), runs.end(), [&](const event::RankRun& run) {
      return run.count <= 0 || (is_rank(run.first) && is_rank(run.first + int64_t{run.count - 1} * run.step));
    });
  }

  // REQUIRES: AreOfJob.
  std::vector<uint32_t> Expand(const std::vector<event::RankRun>& runs) {
    uint64_t wanted = 0;
    for (const event::RankRun& run : runs) wanted += static_cast<uint64_t>(std::clamp<int64_t>(run.count, 0, ranks_));
    if (wanted > room_) return {};
    std::vector<uint32_t> all;
    for (const event::RankRun& run : runs) {
      for (int64_t i = 0; i < std::min<int64_t>(run.count, ranks_) && all.size() < ranks_; ++i) {
        all.push_back(static_cast<uint32_t>(run.first + i * run.step));
      }
    }
    room_ -= all.size();
    return all;
  }

 private:
  static constexpr size_t kForAny = 1 << 16, kForEachProcess = 1 << 12;

  uint32_t ranks_;
  uint64_t room_;
};

}  // namespace

bool WriteTraceDefinitions(const JobSummary& job, const std::string& folder, std::string* error) {
  TraceDefinitions definitions;
  definitions.profile = job.profile;
  definitions.profile.metrics.clear();
  definitions.origin_ns = job.processes.front().numbers.start_ns;
  uint32_t ranks = 0;
  for (const ProcessFacts& facts : job.processes) {
    definitions.origin_ns = std::min(definitions.origin_ns, facts.numbers.start_ns);
    ranks = std::max(ranks, facts.numbers.ranks);
  }
  Expansion expansion(ranks, job.processes.size(), job.communicators.size());
  for (const CommunicatorEntry& entry : job.communicators) {
    definitions.communicators.push_back({entry.name, {}, {}});
    if (!expansion.AreOfJob(entry.own) || !expansion.AreOfJob(entry.remote)) continue;  // its members are not known
    definitions.communicators.back().ranks = expansion.Expand(entry.own);
    definitions.communicators.back().remote = expansion.Expand(entry.remote);
  }
  for (const WindowEntry& entry : job.windows) definitions.windows.push_back({entry.name, entry.communicator});
  return WriteFileAtomically(folder + "/" + kDefinitionsName, PackDefinitions(definitions), error);
}

namespace {

// Tells whether a metric is a counter. The runtime defines its counters before the program can define a metric of the
// same name.
void TakeKind(std::vector<CounterDefinition>* counters, MetricName* metric) {
  const auto found =
      std::find_if(counters->begin(), counters->end(), [&](const auto& c) { return c.name == metric->name; });
  if (found == counters->end()) return;
  const CounterDefinition counter = std::move(*found);
  counters->erase(found);
  if (!(counter.scale > 0)) return;
  metric->scale = counter.scale;
  metric->kind = counter.kind == event::CounterKind::kPeak ? MetricName::kPeak
                 : counter.scale == 1                      ? MetricName::kCount
                                                           : MetricName::kSum;
}

}  // namespace

ProcessMap BeginMap(const ProcessImage& image, const TraceEnd& trace) {
  ProcessMap map;
  map.rank = image.header.ranks == 0 ? 0 : image.header.rank;
  map.process_id = image.header.pid;
  map.file = trace.file;
  map.clock = ClockOf(image);
  map.first_ticks = image.header.start_ticks;
  map.last_ticks = image.LastTicks();
  std::vector<CounterDefinition> counters = image.counters;
  std::erase_if(counters, [](const auto& c) { return c.kind == event::CounterKind::kMissing; });
  for (const auto& [number, region] : image.regions) {
    if (!event::IsMetric(event::RegionKey(number))) continue;
    map.metrics.push_back({number, region.name, region.file});
    TakeKind(&counters, &map.metrics.back());
  }
  return map;
}

void EndMap(const ProcessPart& part, const Mapping& numbers, ProcessMap* map) {
  map->nodes = Translate(part.trace.nodes, numbers.paths);
  map->of_constructs = NodesOfConstructs(part, numbers.paths);
  map->regions = Translate(part.trace.regions, numbers.regions);
  map->communicators = Translate(part.trace.communicators, numbers.communicators);
  map->windows = Translate(part.trace.windows, numbers.windows);
}

bool WriteMaps(Group* group, const std::vector<ProcessMap>& maps, const std::string& folder, std::string* error) {
  std::vector<std::string> mine;
  BytesOut described;
  for (const ProcessMap& map : maps) {
    mine.push_back(PackMap(map));
    described.Put(group->rank());
    described.Put(DescribeMapPart(mine.back()));
  }
  // Rank 0 tells each process the place of its part; then all write at once.
  const std::string all = group->Gather(described.Take());
  const std::string path = folder + "/" + kMapsName;
  bool good = true;
  BytesOut places;
  if (group->IsRoot()) {
    std::vector<int> owners;
    std::vector<MapPart> parts;
    for (BytesIn in(all); !in.AtEnd() && in.good();) {
      owners.push_back(in.Get<int>());
      parts.push_back(in.Get<MapPart>());
    }
    const std::string head = LayOutMaps(&parts);
    good = WriteFileAtomically(path, head, error);
    for (size_t i = 0; i < parts.size(); ++i) {
      places.Put(owners[i]);
      places.Put(parts[i].offset);
    }
  }
  const std::string where = group->Broadcast(places.Take());
  const int fd = mine.empty() ? -1 : open(path.c_str(), O_WRONLY | O_CLOEXEC);
  size_t next = 0;
  for (BytesIn in(where); !in.AtEnd() && in.good();) {
    const bool is_mine = in.Get<int>() == group->rank();
    const auto offset = in.Get<uint64_t>();
    if (!is_mine || next == mine.size()) continue;
    const bool written = fd >= 0 && WriteAt(fd, mine[next++], offset);
    if (!written && good) *error = path + ": " + std::strerror(errno);
    good = good && written;
  }
  if (fd >= 0) close(fd);
  // No process goes on, and renames the folder, before all parts are written.
  return group->Agree(good && next == mine.size());
}

}  // namespace epik::archive
