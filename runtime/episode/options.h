// SPDX-License-Identifier: BSD-3-Clause
// The settings that the runtime itself acts on, read once when the measurement starts.
#ifndef EPIK_RUNTIME_EPISODE_OPTIONS_H_
#define EPIK_RUNTIME_EPISODE_OPTIONS_H_

#include <cstdint>
#include <string>

#include "config/control_signals.h"
#include "config/trace_selection.h"
#include "runtime/episode/counter_choice.h"
#include "runtime/episode/hot_paths.h"

namespace epik::episode {

struct Options {
  bool enabled = true;
  std::string title;           // empty: made from program, ranks and threads
  std::string archive_folder;  // EPK_GDIR, absolute
  std::string arena_folder;    // EPK_LDIR, absolute; empty: inside the archive
  uint64_t memory_bytes = 1u << 30;
  uint32_t path_limit = 0;  // 0: as many as fit
  uint32_t frame_limit = 0;
  uint32_t first_frames = 1024;
  bool want_tsc = true;
  bool measure_forked = true;
  uint32_t thread_limit = 0;
  bool stop_when_full = false;
  bool keep_arenas = false;  // although the archive is complete
  int verbose = 0;
  std::string filter;  // absolute path; empty: none
  std::string groups;  // EPK_GROUPS, a word a line
  bool patch = false;  // EPK_PATCH
  config::TraceSelection trace;
  config::MeasureSelection measure;
  uint64_t trace_buffer = 16u << 20;
  int compression = 6;
  bool keep_latest = false;  // EPK_OVERFLOW=ring
  bool trace_starts = true;  // EPK_TRACE_START
  std::vector<config::ControlSignal> control_signals;
  uint32_t depth = 0;  // EPK_DEPTH; 0: no limit
  CounterOptions counters;
  HotLimits hot;              // durations in ns
  std::string only_ranks;     // EPK_RANKS, when it is not all of them
  bool rank_is_out = false;   // this process is none of them, as its launcher says
  std::string configuration;  // in force, as a configuration file
};

// What adapters ask for. Bits of groups are in the order of config::kMpiGroups and kOmpGroups; valid once started.
struct AdapterOptions {
  uint64_t mpi_groups = 0;
  uint64_t omp_groups = 0;
  bool mpi_matrix = true;
  uint64_t clock_sync_ns = 0;  // EPK_CLOCK_SYNC; 0: off
  config::RankSet trace_ranks;
};
extern AdapterOptions adapter_options;

// Where the program was started: relative names mean this folder, wherever the program goes later.
void NoteStartFolder();

// Says on stderr what was wrong with the settings, once for each.
Options LoadOptions();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_OPTIONS_H_
