// SPDX-License-Identifier: BSD-3-Clause
// Measures writing and reading a large .cubex file row by row: cubex_scale FILE CALL_PATHS LOCATIONS ROWS. Every metric
// has ROWS rows, spread over the call tree. Prints seconds and peak memory; fails when a value that it reads is not the
// value that it wrote.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "archive/cubex/reader.h"
#include "archive/cubex/writer.h"

namespace {

using epik::archive::Along;
using epik::archive::CubexReader;
using epik::archive::CubexWriter;
using epik::archive::kNone;
using epik::archive::Profile;
using epik::archive::Type;

constexpr uint32_t kRegions = 4000;
constexpr uint32_t kThreadsOfAProcess = 8;
constexpr uint32_t kLongestChain = 40;

Profile MakeDefinitions(uint32_t paths, uint32_t locations) {
  Profile p;
  p.hosts = {{"node0"}};
  for (uint32_t l = 0; l < locations; ++l) {
    const auto rank = static_cast<int>(l / kThreadsOfAProcess);
    if (l % kThreadsOfAProcess == 0) p.processes.push_back({0, rank, "MPI Rank " + std::to_string(rank)});
    const auto thread = static_cast<int>(l % kThreadsOfAProcess);
    p.locations.push_back({static_cast<uint32_t>(rank), thread, "thread " + std::to_string(thread)});
  }
  for (uint32_t r = 0; r < kRegions; ++r) {
    const std::string name = "solver::stage_" + std::to_string(r) + "(Grid&, int)";
    p.regions.push_back(
        {name, name, "/home/user/solver/src/stage.cc", static_cast<int>(r), -1, "compiler", "function", "USR"});
  }
  std::vector<uint32_t> chain;
  for (uint32_t c = 0; c < paths; ++c) {
    chain.resize(c == 0 ? 0 : 1 + size_t{c * 2654435761u} % std::min<size_t>(chain.size(), kLongestChain));
    p.call_paths.push_back({c % kRegions, chain.empty() ? kNone : chain.back()});
    chain.push_back(c);
  }
  p.metrics = {{"visits", "Visits", "occ", "", Type::kUint64, Along::kExclusive, kNone},
               {"time", "Time", "sec", "", Type::kDouble, Along::kExclusive, kNone},
               {"execution", "Execution", "sec", "", Type::kDouble, Along::kExclusive, 1},
               {"min_time", "Minimum", "sec", "", Type::kMin, Along::kExclusive, kNone}};
  return p;
}

uint64_t Cell(uint32_t metric, uint32_t path, uint32_t location) {
  const uint64_t count = (uint64_t{path} * 31 + uint64_t{location} * 7 + metric) % 100000 + 1;
  return metric == 0 ? count : std::bit_cast<uint64_t>(static_cast<double>(count) / 64);
}

class Stopwatch {
 public:
  void Print(const char* what) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start_;
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%-6s %8.2f s  %8.1f MB peak\n", what, took.count(), static_cast<double>(usage.ru_maxrss) / 1024);
    start_ = std::chrono::steady_clock::now();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

bool Write(const std::string& path, const Profile& definitions, uint32_t step) {
  CubexWriter writer;
  std::vector<bool> used(definitions.call_paths.size());
  for (uint32_t p = 0; p < used.size(); p += step) used[p] = true;
  std::vector<uint64_t> cells(definitions.locations.size());
  bool good = writer.Open(path) && writer.Begin(definitions, {});
  for (uint32_t m = 0; good && m < definitions.metrics.size(); ++m) {
    good = writer.BeginMetric(m, used);
    for (size_t i = 0; good && i < writer.rows().size(); ++i) {
      for (uint32_t l = 0; l < cells.size(); ++l) cells[l] = Cell(m, writer.rows()[i], l);
      good = writer.AppendRow(cells.data());
    }
    good = good && writer.EndMetric();
  }
  good = good && writer.Finish();
  if (!good) std::fprintf(stderr, "%s\n", writer.error().c_str());
  return good;
}

bool Read(const std::string& path, uint32_t step) {
  CubexReader reader;
  std::string error;
  if (!reader.Open(path, &error)) {
    std::fprintf(stderr, "%s\n", error.c_str());
    return false;
  }
  const Profile& definitions = reader.definitions();
  std::vector<uint64_t> cells(definitions.locations.size());
  for (uint32_t m = 0; m < definitions.metrics.size(); ++m) {
    for (uint32_t p = 0; p < definitions.call_paths.size(); ++p) {
      if (reader.HasRow(m, p) != (p % step == 0)) return false;
      if (!reader.HasRow(m, p)) continue;
      if (!reader.ReadRow(m, p, cells.data(), &error)) return false;
      for (uint32_t l = 0; l < cells.size(); ++l) {
        if (cells[l] != Cell(m, p, l)) return false;
      }
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: cubex_scale FILE CALL_PATHS LOCATIONS ROWS\n");
    return 2;
  }
  const auto number = [&](int i) { return static_cast<uint32_t>(std::strtoul(argv[i], nullptr, 10)); };
  const uint32_t paths = number(2), step = std::max(1u, paths / std::max(1u, number(4)));
  const bool reads_only = access(argv[1], F_OK) == 0;
  Stopwatch watch;
  if (!reads_only) {
    if (!Write(argv[1], MakeDefinitions(paths, number(3)), step)) return 1;
    watch.Print("write");
    return 0;  // another process measures the reading
  }
  if (!Read(argv[1], step)) {
    std::fprintf(stderr, "%s: not what was written\n", argv[1]);
    return 1;
  }
  watch.Print("read");
  return 0;
}
