// SPDX-License-Identifier: BSD-3-Clause
// manifest.json describes a run: the program, how it ended, the cost of measuring, and data that could not be recorded.
// docs/formats.md lists the members. If a member is missing, the reader takes the default, so old archives stay
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
  std::string title;                 // in the user's words; empty: the program's name takes its place
  std::string revision;              // commit of the git repository around the run, 40 or 64 digits; or empty
  std::string host;
  std::string processor;  // the system's name of the model; empty when unknown
  int processors = 0;     // of the host; 0: not known
  std::string started;    // ISO 8601 with zone
  double wall_seconds = 0;
  int ranks = 1;
  int threads = 1;  // of the rank that has most locations

  // How the run ended: "exit", "signal", "_exit", "exec", "abort", "killed" (`epk recover` found it so), "running" (a
  // snapshot).
  std::string ended = "exit";
  std::string ended_detail;  // "status 3", "SIGSEGV", "no sign of life after 12.3 s"
  bool recovered = false;    // written by `epk recover` from left-over arenas
  uint64_t open_frames = 0;  // regions that never returned, closed at the last known time

  std::string timer;  // "tsc" or "monotonic"
  double ticks_per_second = 0;
  double clock_residual_s = 0;
  uint64_t clock_measurements = 0;  // of a rank's clock against rank 0's; 0: all ranks share one clock

  uint64_t events = 0;      // enters and exits of all locations
  double pair_cost_ns = 0;  // mean cost of a timed enter + exit in this run
  // Calibrated prices of an enter and exit: in a function that does nothing, and the least and the most in a function
  // that works (archive/metrics/visit_price.h); negative: not known.
  double pair_alone_ns = -1, pair_behind_least_ns = -1, pair_behind_most_ns = -1;
  double own_seconds = 0;          // in the region `measurement`, over all locations: starting, flushes, clocks
  std::string computed_in_run;     // part of own_seconds: "waits", "statistics", "waits and statistics"; or empty
  double cost_seconds = 0;         // CPU time of all events
  double cost_error_seconds = 0;   // cost_seconds may be larger by this
  double cost_least_seconds = -1;  // the least cost; negative: an archive of an earlier version
  // The cost by its prices alone. On an oversubscribed machine this may be more than the CPU time, which is the limit
  // of cost_seconds.
  double cost_by_prices_seconds = 0;
  double cpu_seconds = 0;  // in which all locations computed, with the cost, without waits
  // The most that cpu_seconds may be: who polls in MPI and who computes cannot be told apart where others have the
  // processors. 0: archives of earlier versions.
  double cpu_most_seconds = 0;
  double cost_percent = 0;         // share of the cost in cpu_seconds
  double cpu_without_seconds = 0;  // cpu_seconds without the cost
  // Estimates: the wall time without the cost of measuring in the locations that computed longest.
  double wall_without_seconds = 0, wall_without_least_seconds = 0, wall_without_most_seconds = 0;
  double ran_seconds = 0;     // CPU time of all locations, also in waits; 0: archives of earlier versions
  double queued_seconds = 0;  // all locations: ready to run while other threads had the processor
  uint64_t preemptions = 0;   // how often other threads took the processor from them
  // Whether the CPU time cannot be told: reports mention no narrower bracket.
  static constexpr double kNarrow = 1.1, kNoticed = 0.001;  // s
  bool IsCpuBracket() const {
    return cpu_most_seconds > kNarrow * cpu_seconds && cpu_most_seconds - cpu_seconds > kNoticed;
  }
  // The least share of the CPU time that the cost may be, in percent.
  double CostPercentLeast() const { return IsCpuBracket() ? 100 * cost_seconds / cpu_most_seconds : cost_percent; }
  // Returns the share of the time ready to run in which other threads had the processors.
  double QueuedShare() const {
    const double ready = std::max(ran_seconds, cpu_seconds) + queued_seconds;
    return ready > 0 ? queued_seconds / ready : 0;
  }

  uint64_t mpi_calls = 0;          // measured calls of all ranks
  uint64_t mpi_fortran_calls = 0;  // the part of mpi_calls that came through the Fortran bindings
  uint64_t openmp_regions = 0;     // a thread that takes part in a parallel region counts once

  uint64_t folded_visits = 0;      // beyond ESD_PATHS, ESD_FRAMES or EPK_MEMORY: their time stays with the caller
  uint64_t dropped_events = 0;     // could not be recorded safely (signal handlers inside the runtime, dying threads)
  uint64_t repairs = 0;            // frames that were closed because longjmp or exit skipped their return
  uint64_t unmatched_exits = 0;    // exits without an enter, ignored
  std::vector<std::string> notes;  // sentences for people about lost data, with the setting to change

  // The traces of the run.
  struct Trace {
    bool there = false;  // the other members have a meaning only if this is true
    uint64_t events = 0;
    uint64_t bytes = 0;    // of all files
    int largest_rank = 0;  // the rank with the largest file
    uint64_t largest_bytes = 0;
    uint64_t flushes = 0;  // of buffers, before the end
    uint64_t lost = 0;     // events that the traces lack
    std::string format = "epilog";
  } trace;

  // Call paths that were measured only in part after some time (EPK_HOT, EPK_BUDGET). Times are seconds since the
  // start.
  struct Hot {
    uint64_t sampled_paths = 0;
    double sampled_since_s = 0;
    uint64_t untimed_visits = 0;
    uint64_t dropped_paths = 0;
    double dropped_since_s = 0;
    uint64_t dropped_calls = 0;
    double untimed_cost_ns = 0;  // calibrated: the cost of an enter and exit that are only counted
    uint64_t probed_paths = 0;   // call paths whose price was measured in the run (EPK_HOT=probe)
  } hot;

  // For a trace that was computed from another one: the approximated run.
  struct Approximation {
    bool there = false;
    std::string of;                                         // the name of the archive that it was computed from
    std::string change;                                     // "without measurement", or another change
    std::string model;                                      // "time", "event", "liberal"
    std::string bound;                                      // "lower", "upper", "estimate"
    double measured_seconds = 0, approximated_seconds = 0;  // of the job, according to the trace
    double pair_cost_ns = 0, pair_cost_spread = 0;          // taken off for a visit; its uncertainty, as a share
  } approximation;

  // Prices that `epk calibrate` had found on this class of machine; missing: the run has only its own.
  Calibration costs;

  struct Module {
    std::string path, build_id;
  };
  std::vector<Module> modules;

  std::string ToJson() const;
  // Returns false and sets *error ("manifest.json: …") when the text is not a manifest.
  static bool FromJson(const std::string& text, Manifest* manifest, std::string* error);
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_MANIFEST_H_
