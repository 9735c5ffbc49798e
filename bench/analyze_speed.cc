// SPDX-License-Identifier: BSD-3-Clause
// How fast traces are analysed, with all patterns, causes and the critical path, on one core: ranks that mostly call
// (ns for an event), and ranks that only send and receive (ns for a message). Also measures the time of reading the
// same events.
//
//   analyze_speed calls|messages [million events [ranks [calls for each message]]]
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/clocks/order.h"
#include "analysis/critical/path.h"
#include "analysis/graph/builder.h"
#include "analysis/patterns/patterns.h"
#include "analysis/replay/condenser.h"
#include "analysis/replay/replay.h"
#include "archive/trace/location_reader.h"
#include "archive/trace/process_file.h"
#include "archive/trace/test_trace.h"

namespace epik::replay {
namespace {

using event::RecordKind;
using event::TraceWord;

enum Node : uint32_t { kMain = 128, kStep, kLeaf, kSend, kReceive, kBarrier };
constexpr const char* kNames[] = {"main", "step", "leaf", "MPI_Send", "MPI_Recv", "MPI_Barrier"};

double CpuSeconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

class Words {
 public:
  void Enter(uint32_t node) { words.push_back(TraceWord(Tick(), node)); }
  void Exit() { words.push_back(archive::ExitWord(Tick())); }
  void Record(RecordKind kind, std::vector<uint64_t> fields) {
    words.push_back(TraceWord(Tick(), static_cast<uint32_t>(kind)));
    words.insert(words.end(), fields.begin(), fields.end());
  }
  std::vector<uint64_t> words;

 private:
  uint64_t Tick() { return time_ += 26 + (time_ >> 3) % 7 * 26; }
  uint64_t time_ = 1000;
};

// Each rank sends to the next and receives from the one before, with `calls` leaf calls in between, and sometimes a
// barrier.
std::vector<uint64_t> Program(int rank, int ranks, int steps, int calls) {
  Words w;
  w.Enter(kMain);
  for (int s = 0; s < steps; ++s) {
    w.Enter(kStep);
    for (int c = 0; c < calls; ++c) {
      w.Enter(kLeaf);
      w.Exit();
    }
    w.Enter(kSend);
    w.Record(RecordKind::kSend, {static_cast<uint64_t>((rank + 1) % ranks), 1, 0, 64});
    w.Exit();
    w.Enter(kReceive);
    w.Record(RecordKind::kReceive, {static_cast<uint64_t>((rank + ranks - 1) % ranks), 1, 0, 64});
    w.Exit();
    if (s % 64 == 63) {
      w.Enter(kBarrier);
      w.Record(RecordKind::kCollectiveBegin, {1, 0});
      w.Record(RecordKind::kCollectiveEnd, {1, 0, ~uint64_t{0}, 0, 0, 0});
      w.Exit();
    }
    w.Exit();
  }
  w.Exit();
  return w.words;
}

class FileSource : public EventSource {
 public:
  explicit FileSource(const archive::ProcessFile* file) : reader_(file, 0) {}
  bool Next(archive::Event* event) override { return reader_.Next(event); }

 private:
  archive::LocationReader reader_;
};

World MakeWorld(int ranks) {
  World world;
  world.ranks = ranks;
  world.world_communicator = 0;
  world.communicators.resize(1);
  for (int r = 0; r < ranks; ++r) {
    world.communicators[0].ranks.push_back(r);
    Process process;
    process.rank = r;
    process.locations = {static_cast<uint32_t>(r)};
    std::vector<std::pair<uint32_t, NodeFacts>> nodes;
    for (uint32_t n = 0; n < std::size(kNames); ++n)
      nodes.emplace_back(kMain + n, NodeFacts{n, OperationOf(kNames[n])});
    process.nodes.Assign(nodes);
    process.regions.Assign({{1, OperationOf("MPI_Barrier")}});
    process.communicators.Assign({{0, Known{0}}});
    world.processes.push_back(std::move(process));
    world.locations.push_back({static_cast<uint32_t>(r), 0, static_cast<uint32_t>(r)});
  }
  world.Index();
  return world;
}

// The peak since the last ForgetPeak. Making a trace takes more memory than analysing it.
uint64_t PeakKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}
void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

struct Trace {
  explicit Trace(int ranks, double million, int calls) {
    const int events = 2 * calls + 8;
    const int steps = static_cast<int>(million * 1e6 / events / ranks);
    std::string name = (std::filesystem::temp_directory_path() / "epik_speed.XXXXXX").string();
    folder = mkdtemp(name.data());
    for (int r = 0; r < ranks; ++r) {
      archive::TestTrace trace;
      trace.Add(0, Program(r, ranks, steps, calls));
      const std::string path = (folder / (std::to_string(r) + ".elg")).string();
      trace.Write(path);
      files.push_back(std::make_unique<archive::ProcessFile>());
      std::string error;
      if (!files.back()->Open(path, &error)) exit(1);
    }
  }
  ~Trace() { std::filesystem::remove_all(folder); }

  std::filesystem::path folder;
  std::vector<std::unique_ptr<archive::ProcessFile>> files;
};

void Run(const char* name, double million, int ranks, int calls) {
  const Trace trace(ranks, million, calls);
  ForgetPeak();
  const uint64_t made_kb = PeakKilobytes();
  double before = CpuSeconds();
  uint64_t read = 0;
  for (const auto& file : trace.files) {
    FileSource source(file.get());
    archive::Event event;
    while (source.Next(&event)) ++read;
  }
  const double reading = CpuSeconds() - before;
  const World world = MakeWorld(ranks);
  MeasuredTime time(&world);
  patterns::Severities severities;
  const auto all = patterns::MakePatterns(&severities);
  graph::Graph graph(world.locations.size());
  graph::GraphBuilder builder(&world, &graph);
  clocks::Violations violations(&world);
  std::vector<Observer*> observers = {&builder, &violations};
  for (const auto& pattern : all) observers.push_back(pattern.get());
  std::vector<std::unique_ptr<EventSource>> sources;
  for (uint32_t l = 0; l < trace.files.size(); ++l) {
    sources.push_back(
        std::make_unique<Condenser>(std::make_unique<FileSource>(trace.files[l].get()), &world, l, &time));
  }
  before = CpuSeconds();
  Replay replay(&world, std::move(sources), &time, observers);
  replay.Run();
  builder.Finish();
  const double replaying = CpuSeconds() - before;
  const causes::Delays delays = causes::FindDelays(graph);
  const double explaining = CpuSeconds() - before;
  const critical::Path path = critical::FindPath(graph, world);
  const double analysing = CpuSeconds() - before;
  const Totals& totals = replay.totals();
  const bool is_whole = critical::IsWhole(path) && delays.IsWhole() && totals.events == read;
  const auto units = static_cast<double>(calls > 0 ? totals.events : totals.messages);
  printf("ns=%.2f replay_ns=%.2f causes_ns=%.2f read_ns=%.2f peak_kb=%llu\n", analysing / units * 1e9,
         replaying / units * 1e9, (explaining - replaying) / units * 1e9, reading / units * 1e9,
         static_cast<unsigned long long>(PeakKilobytes() - made_kb));
  fprintf(stderr, "%s: %d ranks, %.1f M events, %.1f M messages, at most %zu of them in memory%s\n", name, ranks,
          static_cast<double>(totals.events) * 1e-6, static_cast<double>(totals.messages) * 1e-6, totals.most_messages,
          is_whole ? "" : "; it contradicts itself");
  if (!is_whole) exit(1);
}

}  // namespace
}  // namespace epik::replay

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "calls";
  const double million = argc > 2 ? atof(argv[2]) : 20;
  const int ranks = argc > 3 ? atoi(argv[3]) : 8;
  const int calls = argc > 4 ? atoi(argv[4]) : 100;
  epik::replay::Run(kind.c_str(), million, ranks, kind == "calls" ? calls : 0);
}
