// SPDX-License-Identifier: BSD-3-Clause
// Writes an archive with a large trace, made up: trace_scale ARCHIVE RANKS MILLION_EVENTS [CALLS_OF_A_STEP].
// Each rank computes in uneven steps, sends to the next rank and receives from the one before; all meet in a barrier
// now and then. No message is received before it was sent. Benchmarks of tools that read traces use it.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "archive/directory/new_archive.h"
#include "archive/files/atomic_file.h"
#include "archive/trace/file_writer.h"
#include "archive/trace/maps.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/trace_profile.h"

namespace {

namespace fs = std::filesystem;
using epik::archive::Event;
using epik::archive::Manifest;
using epik::archive::ProcessMap;
using epik::event::RecordKind;

constexpr uint32_t kCalls = 16;         // of a step
constexpr uint32_t kOtherEvents = 10;   // of a step: enter and exit of it, a message sent and received
constexpr uint32_t kBarrierEvery = 64;  // steps
constexpr uint32_t kRanksOfAHost = 64;
constexpr uint64_t kLatency = 1000;  // ns
constexpr uint64_t kWork = 8000;     // ns of a step, about

enum Region : uint32_t { kMain, kStep, kLeaf, kSend, kReceive, kBarrier, kRegions };
constexpr const char* kNames[kRegions] = {"main", "step", "leaf", "MPI_Send", "MPI_Recv", "MPI_Barrier"};

// Codes of events below the first node are other records.
uint32_t NodeOf(uint32_t region) { return static_cast<uint32_t>(RecordKind::kEnter) + region; }

uint64_t Mixed(uint64_t x) {
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u;
  return x ^ (x >> 32);
}

// The dependences between ranks: when each of their steps begins.
class Run {
 public:
  Run(uint32_t ranks, uint32_t steps, uint32_t calls)
      : ranks_(ranks), steps_(steps), calls_(calls), begins_(size_t{ranks} * (steps + 1), kLatency) {
    for (uint32_t s = 0; s < steps; ++s) {
      uint64_t last = 0;
      for (uint32_t r = 0; r < ranks; ++r) last = std::max(last, Received(r, s));
      for (uint32_t r = 0; r < ranks; ++r) At(r, s + 1) = HasBarrier(s) ? last + kLatency : Received(r, s) + 100;
    }
  }

  uint32_t ranks() const { return ranks_; }
  uint32_t steps() const { return steps_; }
  uint32_t calls() const { return calls_; }  // of a step
  static bool HasBarrier(uint32_t step) { return step % kBarrierEvery == kBarrierEvery - 1; }
  uint64_t Begin(uint32_t rank, uint32_t step) const { return begins_[size_t{step} * ranks_ + rank]; }
  // One rank in 17 has a third more to do.
  static uint64_t Work(uint32_t rank, uint32_t step) {
    const uint64_t chance = Mixed(uint64_t{rank} << 32 | step) % kWork;
    return kWork + chance / 4 + (rank % 17 == 3 ? kWork / 3 : 0);
  }
  uint64_t Sent(uint32_t rank, uint32_t step) const { return Begin(rank, step) + Work(rank, step); }
  uint64_t Received(uint32_t rank, uint32_t step) const {
    return std::max(Sent(rank, step) + 600, Sent((rank + ranks_ - 1) % ranks_, step) + kLatency);
  }

 private:
  uint64_t& At(uint32_t rank, uint32_t step) { return begins_[size_t{step} * ranks_ + rank]; }

  uint32_t ranks_, steps_, calls_;
  std::vector<uint64_t> begins_;
};

class RankTrace {
 public:
  RankTrace(const Run& run, uint32_t rank, epik::archive::FileWriter* file) : run_(run), rank_(rank), file_(file) {}

  void Write() {
    Enter(kMain, 1);
    for (uint32_t s = 0; s < run_.steps(); ++s) WriteStep(s);
    Exit(kMain, End());
  }
  uint64_t End() const { return run_.Begin(rank_, run_.steps()) + 100; }

 private:
  void WriteStep(uint32_t step) {
    const uint64_t begin = run_.Begin(rank_, step), sent = run_.Sent(rank_, step);
    Enter(kStep, begin);
    const uint64_t each = (sent - begin) / (run_.calls() + 1);
    for (uint32_t c = 0; c < run_.calls(); ++c) {
      const uint64_t at = begin + each / 2 + c * each;
      Enter(kLeaf, at);
      Exit(kLeaf, at + each / 2 + Mixed(at) % (each / 2));
    }
    const uint64_t ranks = run_.ranks();
    Enter(kSend, sent);
    Record(RecordKind::kSend, sent + 20, {(rank_ + 1) % ranks, 1, 1, 64});
    Exit(kSend, sent + 300);
    Enter(kReceive, sent + 400);
    const uint64_t received = run_.Received(rank_, step);
    Record(RecordKind::kReceive, received, {(rank_ + ranks - 1) % ranks, 1, 1, 64});
    Exit(kReceive, received + 20);
    if (Run::HasBarrier(step)) {
      const uint64_t end = run_.Begin(rank_, step + 1);
      Enter(kBarrier, received + 40);
      Record(RecordKind::kCollectiveBegin, received + 45, {kBarrier + 1, 0});
      Record(RecordKind::kCollectiveEnd, end - 40, {kBarrier + 1, 1, ~uint64_t{0}, 0, 0, 0});
      Exit(kBarrier, end - 30);
    }
    Exit(kStep, std::max(received + 60, run_.Begin(rank_, step + 1) - 20));
  }

  void Enter(Region region, uint64_t time) { Put(RecordKind::kEnter, NodeOf(region), time); }
  void Exit(Region region, uint64_t time) { Put(RecordKind::kExit, NodeOf(region), time); }
  void Put(RecordKind kind, uint32_t node, uint64_t time) {
    Event event;
    event.time = time;
    event.kind = kind;
    event.node = node;
    file_->Put(event);
  }
  void Record(RecordKind kind, uint64_t time, std::initializer_list<uint64_t> fields) {
    Event event;
    event.time = time;
    event.kind = kind;
    for (const uint64_t field : fields) event.field[event.fields++] = field;
    file_->Put(event);
  }

  const Run& run_;
  const uint32_t rank_;
  epik::archive::FileWriter* file_;
};

epik::archive::TraceDefinitions Definitions(uint32_t ranks) {
  epik::archive::TraceDefinitions all;
  epik::archive::Profile& profile = all.profile;
  for (uint32_t r = 0; r < kRegions; ++r) {
    epik::archive::Region region;
    region.name = region.mangled = kNames[r];
    if (r >= kSend) region.paradigm = "mpi", region.description = "MPI";
    profile.regions.push_back(region);
  }
  for (const uint32_t parent :
       {epik::archive::kNone, uint32_t{kMain}, uint32_t{kStep}, uint32_t{kStep}, uint32_t{kStep}, uint32_t{kStep}}) {
    profile.call_paths.push_back({static_cast<uint32_t>(profile.call_paths.size()), parent});
  }
  all.communicators.push_back({"MPI_COMM_WORLD", {}, {}});
  for (uint32_t r = 0; r < ranks; ++r) {
    if (r % kRanksOfAHost == 0) profile.hosts.push_back({"host" + std::to_string(r / kRanksOfAHost)});
    profile.processes.push_back({r / kRanksOfAHost, static_cast<int>(r), "Process " + std::to_string(r)});
    profile.locations.push_back({r, 0, "Thread 0"});
    all.communicators[0].ranks.push_back(r);
  }
  return all;
}

bool WriteTraces(const Run& run, const std::string& folder, Manifest* manifest, std::string* error) {
  std::vector<ProcessMap> maps;
  for (uint32_t r = 0; r < run.ranks(); ++r) {
    char name[64];
    std::snprintf(name, sizeof name, "traces/%03u/%u.elg", r / 1000, r);
    fs::create_directories(fs::path(folder + "/" + name).parent_path());
    epik::archive::FileWriter file;
    file.Open(folder + "/" + name, r + 1);
    file.Begin(0);
    RankTrace trace(run, r, &file);
    trace.Write();
    if (!file.Finish(static_cast<int32_t>(r), error)) return false;
    const uint64_t bytes = fs::file_size(folder + "/" + name);
    manifest->trace.events += file.events();
    manifest->trace.bytes += bytes;
    manifest->trace.largest_bytes = std::max(manifest->trace.largest_bytes, bytes);
    manifest->wall_seconds = std::max(manifest->wall_seconds, static_cast<double>(trace.End()) * 1e-9);
    ProcessMap& map = maps.emplace_back();
    map.rank = static_cast<int32_t>(r);
    map.process_id = r + 1;
    map.file = name;
    map.first_ticks = 1;
    map.last_ticks = trace.End() + 100;
    for (uint32_t n = 0; n < kRegions; ++n) {
      map.nodes.emplace_back(NodeOf(n), n);
      map.regions.emplace_back(n + 1, n);
    }
    map.communicators = {{1, 0}};
  }
  const epik::archive::TraceDefinitions definitions = Definitions(run.ranks());
  return epik::archive::WriteFileAtomically(folder + "/" + epik::archive::kDefinitionsName,
                                            epik::archive::PackDefinitions(definitions), error) &&
         epik::archive::WriteMaps(folder + "/" + epik::archive::kMapsName, maps, error);
}

bool WriteProfile(const std::string& folder, std::string* error) {
  epik::archive::TraceArchive traces;
  epik::archive::Profile profile;
  std::vector<std::string> notes;
  return traces.Open(folder, error) && epik::archive::ProfileOfTrace(traces, &profile, &notes, error) &&
         epik::archive::WriteCubex(folder + "/" + epik::archive::kSummaryName, profile, {}, error);
}

bool Write(const char* target, const Run& run, std::string* error) {
  epik::archive::NewArchive made;
  if (!made.Open(target, error)) return false;
  Manifest manifest;
  manifest.ranks = static_cast<int>(run.ranks());
  manifest.trace.there = true;
  if (!WriteTraces(run, made.path(), &manifest, error) || !WriteProfile(made.path(), error)) return false;
  std::printf("%.1f million events of %u ranks, %.1f MB, %.3f s\n", static_cast<double>(manifest.trace.events) * 1e-6,
              run.ranks(), static_cast<double>(manifest.trace.bytes) * 1e-6, manifest.wall_seconds);
  const std::string file = made.path() + "/" + epik::archive::kManifestName;
  return epik::archive::WriteFileAtomically(file, manifest.ToJson(), error) && made.Commit(error);
}

}  // namespace

int main(int argc, char** argv) {
  const long ranks = argc > 2 ? std::atol(argv[2]) : 0;
  const double millions = argc > 3 ? std::atof(argv[3]) : 0;
  const long calls = argc > 4 ? std::atol(argv[4]) : kCalls;
  const double steps =
      ranks > 0 ? millions * 1e6 / static_cast<double>(ranks) / static_cast<double>(2 * calls + kOtherEvents) : 0;
  if (argc < 4 || argc > 5 || calls < 0 || calls > 100 || ranks < 2 || ranks > 1'000'000 || !(steps >= 1) ||
      steps > 1e8) {
    std::fprintf(stderr, "usage: trace_scale ARCHIVE RANKS MILLION_EVENTS [CALLS_OF_A_STEP]\n");
    return 2;
  }
  std::string error;
  const Run run(static_cast<uint32_t>(ranks), static_cast<uint32_t>(steps), static_cast<uint32_t>(calls));
  if (Write(argv[1], run, &error)) return 0;
  std::fprintf(stderr, "trace_scale: %s\n", error.c_str());
  return 1;
}
