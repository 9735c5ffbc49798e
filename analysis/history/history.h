// SPDX-License-Identifier: BSD-3-Clause
// One program over many runs: the figures of each, in the order of time.
#ifndef EPIK_ANALYSIS_HISTORY_HISTORY_H_
#define EPIK_ANALYSIS_HISTORY_HISTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/trend.h"

namespace epik::analysis {

struct Figure {
  enum class Unit : uint8_t { kSeconds, kShare };

  std::string name;  // "wall time", "MPI", "time in solve"
  Unit unit = Unit::kSeconds;
  bool less_is_better = true;
  std::vector<double> values;  // by run of its series; NaN: no value in this run
  Trend trend;                 // over the runs that have the figure
  std::vector<Jump> jumps;     // `at` counts runs of the series

  size_t FirstRun() const;  // the first run that has a value; values.size(): none
  size_t LastRun() const;
};

struct HistoryRun {
  std::string path, started, revision;
  int64_t time = 0;  // started, in seconds since 1970
};

// Runs that can be compared: they have the same title, size and class of host.
struct Series {
  std::string title, host_class;
  int ranks = 1, threads = 1;
  std::vector<HistoryRun> runs;
  std::vector<Figure> figures;
  bool is_oversubscribed = false;  // in a run, other threads had the processors for long
};

struct History {
  std::vector<Series> series;
  std::vector<std::string> left_out;  // sentences: paths that are no run of a program, or cannot be read
  bool has_all = true;                // every archive could be read
};

// Takes archives, and directories that contain archives at any depth. `regions`: this many regions, those with most
// exclusive time, become figures. Returns false and sets *error when it finds no archive that it can read.
bool ReadHistory(const std::vector<std::string>& paths, size_t regions, History* history, std::string* error);

// "node*" for node0123: numbered machines are of one class.
std::string HostClass(const std::string& host, const std::string& processor);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_HISTORY_HISTORY_H_
