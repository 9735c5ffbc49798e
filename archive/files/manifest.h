// SPDX-License-Identifier: BSD-3-Clause
// manifest.json: what ran, how it ended, what measuring cost, and what could not be recorded.
#ifndef EPIK_ARCHIVE_FILES_MANIFEST_H_
#define EPIK_ARCHIVE_FILES_MANIFEST_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::archive {

struct Manifest {
  static constexpr int kVersion = 1;

  std::string program;               // base name
  std::vector<std::string> command;  // argument vector, as far as it is not secret: words after the program
  std::string host;
  std::string started;  // ISO 8601 with zone
  double wall_seconds = 0;
  int ranks = 1;
  int threads = 1;  // locations of the rank that has most

  // How the run ended: "exit", "signal", "_exit", "exec", "abort", "killed" (found by recover), "running" (a snapshot)
  // …
  std::string ended = "exit";
  std::string ended_detail;  // "status 3", "SIGSEGV", "no sign of life after 12.3 s"
  bool recovered = false;    // written by `epk recover` from left-over arenas
  uint64_t open_frames = 0;  // regions that never returned, closed at the last known time

  std::string timer;  // "tsc" or "monotonic"
  double ticks_per_second = 0;
  double clock_residual_s = 0;
  uint64_t clock_measurements = 0;  // of a rank against rank 0; 0: all have one clock

  uint64_t events = 0;             // enter + exit seen, all locations
  double pair_cost_ns = 0;         // what one enter + exit that was timed added, on average of this run
  double own_seconds = 0;          // in the region `measurement`: starting, flushes, clocks; all locations
  double cost_seconds = 0;         // CPU time that all events took
  double cost_error_seconds = 0;   // how far off that may be
  double cpu_seconds = 0;          // of the program, that cost included: what all locations computed, without waiting
  double cost_percent = 0;         // of that
  double cpu_without_seconds = 0;  // the rest
  // Estimates: the wall time less what measuring took of those who computed longest.
  double wall_without_seconds = 0, wall_without_least_seconds = 0, wall_without_most_seconds = 0;
  double queued_seconds = 0;  // all locations: ready to run while others had the processor
  uint64_t preemptions = 0;   // how often others took it from them

  uint64_t mpi_calls = 0;          // that were measured, all ranks
  uint64_t mpi_fortran_calls = 0;  // of these, through bindings of Fortran's own
  uint64_t openmp_regions = 0;     // parts that threads had in parallel regions

  uint64_t folded_visits = 0;      // beyond ESD_PATHS, ESD_FRAMES or EPK_MEMORY: time stays with the caller
  uint64_t dropped_events = 0;     // could not be recorded safely (signal handlers inside the runtime, dying threads)
  uint64_t repairs = 0;            // frames closed because longjmp or exit skipped their return
  uint64_t unmatched_exits = 0;    // exits without an enter, ignored
  std::vector<std::string> notes;  // sentences for people: what was lost and what to set

  // Of the traces, when there are some.
  struct Trace {
    bool there = false;
    uint64_t events = 0;
    uint64_t bytes = 0;    // of all files
    int largest_rank = 0;  // whose file is the largest
    uint64_t largest_bytes = 0;
    uint64_t flushes = 0;  // of buffers, before the end
    uint64_t lost = 0;     // events that belong into the traces and are not there
    std::string format = "epilog";
  } trace;

  // Call paths that were not measured in full from some moment on (EPK_HOT, EPK_BUDGET); seconds since the start.
  struct Hot {
    uint64_t sampled_paths = 0;
    double sampled_since_s = 0;
    uint64_t untimed_visits = 0;
    uint64_t dropped_paths = 0;
    double dropped_since_s = 0;
    uint64_t dropped_calls = 0;
    double untimed_cost_ns = 0;  // calibrated: what an enter and exit add that are counted and not timed
  } hot;

  struct Module {
    std::string path, build_id;
  };
  std::vector<Module> modules;

  std::string ToJson() const;
  // False and *error ("manifest.json: …") when the text is not a manifest.
  static bool FromJson(const std::string& text, Manifest* manifest, std::string* error);
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_MANIFEST_H_
