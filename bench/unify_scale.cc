// SPDX-License-Identifier: BSD-3-Clause
// Measures unification at scale: runs the merges of a job of up to a million processes one after the other, and times
// those of rank 0, for which all other ranks wait.
//
//   unify_scale [RANKS [PATHS]]        16384 ranks with 4000 call paths each
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "archive/parts/definitions.h"

namespace {

using epik::archive::BytesIn;
using epik::archive::BytesOut;
using epik::archive::Definitions;
using epik::archive::DefinitionSet;
using epik::archive::kNone;
using epik::archive::Mapping;

constexpr uint32_t kFanOut = 8;

double CpuSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double PeakMegabytes() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Job {
  uint32_t ranks, paths;
  bool alike;

  // A tree of `paths` call paths over a tenth as many functions. Unlike ranks have a tenth of their paths in one of 64
  // other modules, like programs of many parts.
  Definitions Rank(uint32_t rank) const {
    Definitions definitions;
    DefinitionSet set(&definitions);
    const uint32_t own = alike ? 0 : 1 + rank % 64;
    const uint32_t common = set.Module({"/bin/solver", "0123456789abcdef"});
    const uint32_t other = alike ? common : set.Module({"/bin/part" + std::to_string(own), std::to_string(own)});
    const uint32_t functions = std::max(1u, paths / 10);
    std::vector<uint32_t> numbers;
    for (uint32_t i = 0; i < paths; ++i) {
      epik::archive::RegionDefinition region;
      region.module = i % 10 == 9 ? other : common;
      region.key = 0x1000 + uint64_t{i * 7 % functions} * 64 + uint64_t{i} / functions;
      numbers.push_back(set.Path(i == 0 ? kNone : numbers[(i - 1) / kFanOut], set.Region(region)));
    }
    return definitions;
  }
};

struct Cost {
  double seconds = 0;      // of the merges at rank 0
  uint64_t bytes = 0;      // it received
  double all_seconds = 0;  // of the merges of all processes together
  uint32_t paths = 0;      // in the end
};

// The definitions that the process `first` has after it merged a subtree of `ranks` processes, as in a job.
Definitions Subtree(const Job& job, uint32_t first, uint32_t ranks, Cost* cost) {
  Definitions mine = job.Rank(first);
  Definitions all;
  DefinitionSet set(&all);
  set.Merge(mine);
  for (uint32_t step = 1; step < ranks; step *= 2) {
    BytesOut out;
    Pack(Subtree(job, first + step, std::min(step, ranks - step), cost), &out);
    const std::string text = out.Take();
    const double begin = CpuSeconds();
    Definitions received;
    BytesIn in(text);
    if (!Unpack(&in, &received)) std::abort();
    const Mapping mapping = set.Merge(received);
    const double seconds = CpuSeconds() - begin;
    cost->all_seconds += seconds;
    if (first != 0) continue;
    cost->seconds += seconds;
    cost->bytes += text.size();
  }
  cost->paths = static_cast<uint32_t>(all.paths.size());
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const uint32_t ranks = argc > 1 ? static_cast<uint32_t>(std::atoi(argv[1])) : 16384;
  const uint32_t paths = argc > 2 ? static_cast<uint32_t>(std::atoi(argv[2])) : 4000;
  if (argc > 3) {  // one line for run.py: these ranks, all alike
    Cost cost;
    Subtree({ranks, paths, true}, 0, ranks, &cost);
    std::printf("root_ns=%.0f\n", cost.seconds * 1e9);
    return 0;
  }
  std::printf("%-7s %9s %11s %11s %14s %12s %12s %9s\n", "ranks", "", "call paths", "rank 0, ms", "per doubling",
              "received, MB", "all, CPU s", "peak, MB");
  for (const bool alike : {true, false}) {
    double before = 0;
    for (uint32_t n = std::max(2u, ranks >> 6); n <= ranks; n *= 2) {
      Cost cost;
      Subtree({n, paths, alike}, 0, n, &cost);
      std::printf("%-7u %9s %11u %11.2f %+14.2f %12.2f %12.1f %9.0f\n", n, alike ? "alike" : "unlike", cost.paths,
                  cost.seconds * 1e3, (cost.seconds - before) * 1e3, static_cast<double>(cost.bytes) / 1e6,
                  cost.all_seconds, PeakMegabytes());
      std::fflush(stdout);
      before = cost.seconds;
    }
  }
  return 0;
}
