// SPDX-License-Identifier: BSD-3-Clause
// manifest.json describes a run: what ran, how it ended, what measuring cost, and what could not be recorded.
// docs/formats.md lists the members. A reader takes the default where a member is missing, so old archives stay
// readable.
#ifndef EPIK_ARCHIVE_FILES_MANIFEST_H_
#define EPIK_ARCHIVE_FILES_MANIFEST_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/calibration.h"

namespace epik::archive {

struct Manifest {
  static constexpr int kVersion = 1;
  // Bytes. A manifest is read as a whole, and a damaged one must not fill the memory.
  static constexpr uint64_t kLargest = 256 << 20;

  std::string program;               // base name
  std::vector<std::string> command;  // the arguments, with secrets left out
  std::string title;                 // as the user gave it; empty: the program's name stands for it
  std::string revision;              // of the git repository that the run was started in, 40 or 64 digits; or empty
  std::string host;
  std::string processor;  // the model, as the system calls it; empty when unknown
  int processors = 0;     // of the host; 0: not known
  std::string started;    // ISO 8601 with zone
  double wall_seconds = 0;
  int ranks = 1;
  int threads = 1;  // of the rank with the most locations

  // How the run ended: "exit", "signal", "_exit", "exec", "abort", "killed" (found by recover), "running" (a snapshot).
  std::string ended = "exit";
  std::string ended_detail;  // "status 3", "SIGSEGV", "no sign of life after 12.3 s"
  bool recovered = false;    // written by `epk recover` from left-over arenas
  uint64_t open_frames = 0;  // regions that never returned, closed at the last known time

  std::string timer;  // "tsc" or "monotonic"
  double ticks_per_second = 0;
  double clock_residual_s = 0;
  uint64_t clock_measurements = 0;  // of a rank's clock against rank 0's; 0: all ranks share one clock

  uint64_t events = 0;      // enter + exit seen, all locations
  double pair_cost_ns = 0;  // mean cost of a timed enter + exit in this run
  // Calibrated prices of an enter + exit: in a function that does nothing, and the least and the most in one that works
  // (archive/metrics/visit_price.h); negative: not known.
  double pair_alone_ns = -1, pair_behind_least_ns = -1, pair_behind_most_ns = -1;
  double own_seconds = 0;          // in the region `measurement`: starting, flushes, clocks; all locations
  std::string computed_in_run;     // part of that: "waits", "statistics", "waits and statistics"; or nothing
  double cost_seconds = 0;         // CPU time that all events took
  double cost_error_seconds = 0;   // it may be so much more
  double cost_least_seconds = -1;  // it was at least that; negative: archives of earlier versions do not say it
  // The cost by its prices alone. Where the machine was oversubscribed that may be more than the CPU time, which
  // cost_seconds is at most.
  double cost_by_prices_seconds = 0;
  double cpu_seconds = 0;          // in which all locations computed, with that cost, without waiting
  double cost_percent = 0;         // share of the cost in cpu_seconds
  double cpu_without_seconds = 0;  // the rest
  // Estimates: the wall time less the cost of measuring in the locations that computed longest.
  double wall_without_seconds = 0, wall_without_least_seconds = 0, wall_without_most_seconds = 0;
  double ran_seconds = 0;     // all CPU time of all locations, also in waits; 0: archives of earlier versions
  double queued_seconds = 0;  // all locations: ready to run while others had the processor
  uint64_t preemptions = 0;   // how often others took it from them
  // Returns how much of the time in which threads were ready to run others had the processors.
  double QueuedShare() const {
    const double ready = std::max(ran_seconds, cpu_seconds) + queued_seconds;
    return ready > 0 ? queued_seconds / ready : 0;
  }

  uint64_t mpi_calls = 0;          // measured calls of all ranks
  uint64_t mpi_fortran_calls = 0;  // the part of mpi_calls that came through the Fortran bindings
  uint64_t openmp_regions = 0;     // a thread that takes part in a parallel region counts once

  uint64_t folded_visits = 0;      // beyond ESD_PATHS, ESD_FRAMES or EPK_MEMORY: time stays with the caller
  uint64_t dropped_events = 0;     // could not be recorded safely (signal handlers inside the runtime, dying threads)
  uint64_t repairs = 0;            // frames closed because longjmp or exit skipped their return
  uint64_t unmatched_exits = 0;    // exits without an enter, ignored
  std::vector<std::string> notes;  // sentences for people: what was lost and what to set

  // The traces of the run.
  struct Trace {
    bool there = false;  // the rest is meaningful only when this is set
    uint64_t events = 0;
    uint64_t bytes = 0;    // of all files
    int largest_rank = 0;  // the rank with the largest file
    uint64_t largest_bytes = 0;
    uint64_t flushes = 0;  // of buffers, before the end
    uint64_t lost = 0;     // events that are missing in the traces
    std::string format = "epilog";
  } trace;

  // Call paths that were measured in part from some moment on (EPK_HOT, EPK_BUDGET). Moments are seconds since the
  // start.
  struct Hot {
    uint64_t sampled_paths = 0;
    double sampled_since_s = 0;
    uint64_t untimed_visits = 0;
    uint64_t dropped_paths = 0;
    double dropped_since_s = 0;
    uint64_t dropped_calls = 0;
    double untimed_cost_ns = 0;  // calibrated: the cost of an enter and exit that are counted only
    uint64_t probed_paths = 0;   // whose price was measured in the run (EPK_HOT=probe)
  } hot;

  // Of a trace that was computed from another one: what would have been.
  struct Approximation {
    bool there = false;
    std::string of;                                         // the name of the archive that it was computed from
    std::string change;                                     // "without measurement", or what else was changed
    std::string model;                                      // "time", "event", "liberal"
    std::string bound;                                      // "lower", "upper", "estimate"
    double measured_seconds = 0, approximated_seconds = 0;  // of the job, by the trace
    double pair_cost_ns = 0, pair_cost_spread = 0;          // of a visit, as it was taken away; and a share of it
  } approximation;

  // Prices that `epk calibrate` had found on this class of machine; not there: the run knows its own alone.
  Calibration costs;

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
