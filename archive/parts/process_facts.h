// SPDX-License-Identifier: BSD-3-Clause
// Facts about a process beside its profile. They are small enough for rank 0 to hold those of all processes. The system
// tree and most of the manifest are made from them.
#ifndef EPIK_ARCHIVE_PARTS_PROCESS_FACTS_H_
#define EPIK_ARCHIVE_PARTS_PROCESS_FACTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/image/process_image.h"
#include "archive/profile/profile.h"
#include "runtime/abi/bytes.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Tells how a process ended, if its arena cannot tell.
struct EndingHint {
  bool recovered = false;  // its arenas were left over
  bool running = false;    // it still runs, and this is a snapshot
};

// Messages of a process to one rank of MPI_COMM_WORLD.
struct PeerTraffic {
  uint32_t rank;
  uint32_t reserved;
  uint64_t messages;
  uint64_t bytes;
};

// As far as a profile can tell, the location that computed longest decides the length of a run. Holds the cost of
// measuring there, and the least and the most cost among locations that computed about as long, in seconds of wall
// time.
struct SlowestChain {
  double computed = 0;  // CPU seconds
  double cost = 0, least = 0, most = 0;
  double own = 0;  // in the region `measurement`

  // Adds a location, or the locations of another process.
  void Join(const SlowestChain& other);
};

struct ProcessFacts {
  // Sent to rank 0 as these bytes, so it has a fixed size and no pointers.
  struct Numbers {
    int32_t rank = 0;
    uint32_t ranks = 0;  // of its job; 0: no MPI
    uint32_t pid = 0;
    event::Ending ending = event::Ending::kNone;
    int32_t ending_value = 0;
    base::Timer timer = base::Timer::kMonotonic;
    uint64_t start_unix_ns = 0;
    double wall_seconds = 0;
    double seconds_per_tick = 0;
    double pair_cost_ns = 0;
    double clock_error_ns = 0;
    uint64_t clock_measurements = 0;  // of its clock against rank 0's
    double own_seconds = 0;           // in the region `measurement`, over all locations
    // The cost of enters, exits and new call paths in all locations (archive/parts/measuring_cost.h), how much more it
    // may be, its least value, and the part of it in timed calls.
    double cost_seconds = 0, cost_error_seconds = 0, cost_least_seconds = 0, timed_cost_seconds = 0;
    double pair_alone_ns = 0, pair_behind_least_ns = -1, pair_behind_most_ns = -1;
    double computed_seconds = 0;  // CPU time without waits
    double computed_most_seconds = 0;
    double ran_seconds = 0;     // all CPU time
    double queued_seconds = 0;  // ready to run while other threads had the processor
    uint64_t preemptions = 0;
    SlowestChain chain;
    // Call paths that were sampled, dropped or probed; when that began (-1: never); and the calls that it affects.
    double untimed_cost_ns = 0;
    uint64_t sampled_paths = 0, dropped_paths = 0, probed_paths = 0, untimed_calls = 0, dropped_calls = 0;
    double sampled_since = -1, dropped_since = -1;
    uint64_t calls = 0;
    uint64_t open_frames = 0;
    uint64_t folded_visits = 0;
    uint64_t dropped_events = 0;
    uint64_t repairs = 0;
    uint64_t unmatched_exits = 0;
    uint64_t fortran_calls = 0;  // of MPI
    int64_t start_ns = 0;        // its begin, by rank 0's clock
    // Its trace: `traced` is 1 when it has one, `trace_flushes` counts flushes before the end, and `trace_lost` the
    // events that it lacks.
    uint64_t traced = 0;
    uint64_t trace_events = 0, trace_bytes = 0, trace_flushes = 0, trace_lost = 0;
  } numbers;
  std::string host;
  std::string program;               // its name
  std::vector<std::string> command;  // only one process of a job needs it
  std::string title, configuration;
  struct Thread {
    uint32_t number;
    uint32_t omp_thread;  // its number in an OpenMP pool + 1; 0: it is in none
  };
  std::vector<Thread> threads;
  std::vector<PeerTraffic> peers;
  std::vector<FileDefinition> files;
  std::vector<TopologyDefinition> topologies;
};

void Pack(const ProcessFacts& facts, BytesOut* bytes);
bool Unpack(BytesIn* bytes, ProcessFacts* facts);

// REQUIRES: there is at least one process, and all are of one run.
void DescribeRun(const std::vector<ProcessFacts>& processes, const EndingHint& hint, Manifest* manifest);
// Fills in machine, hosts, processes and locations, in the order of `processes`.
void DescribeSystem(const std::vector<ProcessFacts>& processes, Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_PROCESS_FACTS_H_
