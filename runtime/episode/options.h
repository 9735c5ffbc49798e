// SPDX-License-Identifier: BSD-3-Clause
// The settings that the runtime itself acts on, read once when the measurement starts.
#ifndef EPIK_RUNTIME_EPISODE_OPTIONS_H_
#define EPIK_RUNTIME_EPISODE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "config/settings.h"

namespace epik::episode {

// The settings, and values that follow from them.
struct Options {
  config::Settings settings;
  bool enabled = true;
  std::string archive_folder;               // EPK_GDIR, absolute
  std::string arena_folder;                 // EPK_LDIR, absolute; empty: inside the archive
  std::string filter;                       // EPK_FILTER, absolute; empty: none
  std::vector<std::string> metric_plugins;  // EPK_METRIC_PLUGINS, absolute
  std::string metrics_spec;                 // EPK_METRICS_SPEC, absolute; empty: the built-in one
  uint64_t memory_bytes = 1u << 30;
  uint32_t path_limit = 0;  // 0: as many as fit
  uint32_t frame_limit = 0;
  uint32_t thread_limit = 0;
  uint32_t depth = 0;  // EPK_DEPTH; 0: no limit
  bool want_tsc = true;
  bool measure_forked = true;
  bool stop_when_full = false;
  int verbose = 0;
  int64_t launcher_rank = -1;  // the launcher's rank of this process; -1: not known
  std::string only_ranks;      // EPK_RANKS, when it is not all of them
  bool rank_is_out = false;    // by its launcher's rank, this process is not among them
  std::string configuration;   // in force, as a configuration file
};

// Whether EPK_TRACE selects all calls, or any calls.
inline bool LogsAllCalls(const config::TraceSelection& trace) {
  return trace.on && (trace.all || (!trace.comm && !trace.msgs && trace.slow_ns == 0));
}
inline bool LogsCalls(const config::TraceSelection& trace) {
  return LogsAllCalls(trace) || (trace.on && trace.slow_ns != 0);
}

// Whether the trace may lack messages or operations whose other side is in it: then records say which ones they are.
bool MayLackSome(const config::Settings& settings);

// Options for adapters. Bits of groups are in the order of config::kMpiGroups and kOmpGroups; valid once started.
struct AdapterOptions {
  uint64_t mpi_groups = 0;
  uint64_t omp_groups = 0;
  uint64_t monitor_groups = 0;
  bool mpi_matrix = true;
  bool trace_lacks_some = false;  // MayLackSome
  uint64_t clock_sync_ns = 0;     // EPK_CLOCK_SYNC; 0: off
  config::RankSet trace_ranks;
  const config::CollTree* coll_tree = nullptr;  // lives as long as the process; nullptr: off
};
// Constructors of libraries need it before ours have run, so it has no constructor.
extern AdapterOptions adapter_options;

// Notes the folder in which the program was started: relative names in settings refer to it, even if the program
// changes its folder later.
void NoteStartFolder();

// Prints each error in the settings once, on stderr.
Options LoadOptions();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_OPTIONS_H_
