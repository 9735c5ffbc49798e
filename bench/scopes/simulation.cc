// SPDX-License-Identifier: BSD-3-Clause
// Measures how scopes of many ranks are gathered along trees of several shapes: simulation [RANKS [CALLS]]. All
// stations are in this process, one after the other, and batches between them are packed as for the network. The root's
// CPU time and memory are measured without those of the stations below.
#include <malloc.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "tools/scopes/simulated.h"

namespace {

using namespace epik::scopes;

constexpr uint32_t kRanksOfHost = 64;
constexpr int kPulls = 3;  // of which the last one counts

double CpuSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

size_t HeapBytes() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

// Answers what it got from the station before: the root works alone.
class Answered : public Child {
 public:
  Answered(std::string name, size_t scopes) : name_(std::move(name)), scopes_(scopes) {}
  const std::string& name() const override { return name_; }
  bool Ask(double) override { return true; }
  bool Answer(Batch* batch, double* behind) override {
    *behind = 0;
    return UnpackBatch(bytes, scopes_, batch);
  }
  const std::string& why() const override { return why_; }
  std::string bytes;

 private:
  std::string name_, why_ = "damage";
  size_t scopes_;
};

size_t DepthOf(uint32_t hosts, uint32_t fan_out) {
  size_t depth = 0;
  for (uint64_t left = hosts; left > 0; ++depth) {
    if (fan_out == 0 || left <= fan_out) return depth + 1;
    left = (left + fan_out - 1) / fan_out - 1;  // below the largest child
  }
  return depth;
}

void Measure(uint32_t ranks, uint32_t calls, const std::string& shape, const std::string& reduce) {
  Plan plan;
  std::string error;
  const std::string text =
      "gather " + shape + "\nscope calls\n from calls\n reduce " + reduce + "\nscope work\n from work\n";
  if (!ParseDescription(text, "simulation", &plan, &error)) {
    fprintf(stderr, "%s\n", error.c_str());
    exit(1);
  }
  const SimulatedJob job = {ranks, kRanksOfHost, calls, false};
  const uint32_t hosts = (ranks + kRanksOfHost - 1) / kRanksOfHost;
  const uint32_t most = plan.fan_out == 0 ? hosts : std::min(plan.fan_out, hosts);
  SimulatedTree below;
  std::vector<std::unique_ptr<Station>> stations;
  const size_t before = HeapBytes();
  Station root(plan, nullptr, true);
  std::vector<Answered*> children;
  for (uint32_t i = 0; i < most; ++i) {
    const auto from = static_cast<uint32_t>(uint64_t{i} * hosts / most);
    auto child = std::make_unique<Answered>("host" + std::to_string(from), plan.scopes.size());
    children.push_back(child.get());
    root.Add(std::move(child));
  }
  size_t at_root = HeapBytes() - before;
  for (uint32_t i = 0; i < most; ++i) {
    const auto from = static_cast<uint32_t>(uint64_t{i} * hosts / most);
    const auto to = static_cast<uint32_t>(uint64_t{i + 1} * hosts / most);
    stations.push_back(SimulateBelow(job, plan, from, to, 1, &below));
  }
  uint64_t bytes = 0, gathered = 0;
  double seconds = 0;
  for (int pull = 0; pull < kPulls; ++pull) {
    bytes = 0;
    for (uint32_t i = 0; i < most; ++i) {
      children[i]->bytes = PackBatch(stations[i]->Pull(1));
      bytes += children[i]->bytes.size();
    }
    const size_t heap = HeapBytes();
    const double begin = CpuSeconds();
    const Batch batch = root.Pull(1);
    seconds = CpuSeconds() - begin;
    at_root += HeapBytes() - heap;  // the root's data, and the batch that it passes on
    gathered += batch.scopes[0].gathered;
  }
  if (gathered != uint64_t{kPulls} * calls) fprintf(stderr, "only %lu calls were put together\n", gathered);
  printf("%8u %6u %-8s %-11s %6zu %12.3f %12.1f %12.1f\n", ranks, hosts, shape.c_str(), reduce.c_str(),
         DepthOf(hosts, plan.fan_out), static_cast<double>(bytes) * 1e-6, static_cast<double>(at_root) * 1e-6,
         seconds * 1e3);
  fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t calls = argc > 2 ? static_cast<uint32_t>(atoi(argv[2])) : 10;
  printf("%u calls of all ranks between two refreshes\n", calls);
  printf("%8s %6s %-8s %-11s %6s %12s %12s %12s\n", "ranks", "hosts", "gather", "reduce", "depth", "MB to root",
         "MB in root", "ms CPU");
  for (const uint32_t ranks : {1024u, 16384u, 100000u}) {
    if (argc > 1 && ranks > static_cast<uint32_t>(atoi(argv[1]))) continue;
    for (const char* reduce : {"last", "statistics"}) {
      for (const char* shape : {"flat", "tree 32", "tree 8"}) Measure(ranks, calls, shape, reduce);
    }
  }
  return 0;
}
