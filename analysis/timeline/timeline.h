// SPDX-License-Identifier: BSD-3-Clause
// A whole trace at a resolution that fits into memory: bins of each location, and the messages and waits that were
// kept. For finer resolutions, the events are read (draw.h).
#ifndef EPIK_ANALYSIS_TIMELINE_TIMELINE_H_
#define EPIK_ANALYSIS_TIMELINE_TIMELINE_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/bins.h"

namespace epik::timeline {

struct Message {
  uint32_t from = 0, to = 0;  // locations
  int64_t sent = 0, received = 0;
  uint64_t bytes = 0;
  int32_t tag = 0;
  uint32_t communicator = 0;

  bool operator==(const Message&) const = default;
};

// A location waited for another one, whose event at `caused` ended the wait. A call that waits for several, one after
// the other, is several of these.
struct Wait {
  uint32_t location = 0, cause = 0;
  int64_t from = 0, to = 0, caused = 0;
  uint32_t path = kNoPath;  // call path of the call that waited
  uint8_t pattern = 0;      // of kPatternNames
  bool goes_on = false;     // an earlier one of the same pattern is of the same call

  bool operator==(const Wait&) const = default;
};

// A collective operation: which locations came first and last, and when all had left.
struct Meeting {
  int64_t first_in = 0, last_in = 0, last_out = 0;
  uint32_t path = kNoPath;
  uint32_t communicator = 0;

  bool operator==(const Meeting&) const = default;
};

// A stretch of the critical path.
struct Stretch {
  uint32_t location = 0;
  int64_t from = 0, to = 0;

  bool operator==(const Stretch&) const = default;
};

// A part of the trace that does not show what the program did, and the reason.
enum class Mark : uint8_t {
  kFlush,  // the measurement wrote its buffer
  kOff,    // the program, or a user from outside, had switched the trace off
  kGap,    // events are missing
  kDied,   // a moment: the last event of a run that was killed or crashed
};
inline constexpr const char* kMarkNames[] = {"flush", "off", "gap", "died"};

struct Marker {
  uint32_t location = 0;
  int64_t from = 0, to = 0;
  Mark mark = Mark::kFlush;

  bool operator==(const Marker&) const = default;
};

// A call with many events: a reader that begins within it would have to read far to find its ends. `depth` counts the
// frames around it.
struct LongCall {
  int64_t enter = 0, leave = 0;
  uint32_t depth = 0;

  bool operator==(const LongCall&) const = default;
};

// The number of events from which on a call of a trace with so many events is long.
inline uint64_t LongFrom(uint64_t events) { return std::max<uint64_t>(4096, events >> 18); }

// The long call of a depth that was open at that time; null: none.
const LongCall* LongCallAt(const std::vector<LongCall>& calls, uint32_t depth, int64_t ns);

// The values of a user metric of a location. A point stands for all values from its time until the time of the next
// point.
struct Curve {
  struct Point {
    int64_t at;
    double least, most, last;

    bool operator==(const Point&) const = default;
  };
  uint32_t location = 0;
  std::string name, unit;
  std::vector<Point> points;

  bool operator==(const Curve&) const = default;
};

// Keeps every n-th item (`one_of` = n), by number, so that the sample is even.
template <class Item>
struct Sample {
  uint64_t one_of = 1;
  std::vector<Item> items;

  void Add(uint64_t number, const Item& item, size_t most) {
    if (number % one_of != 0) return;
    items.push_back(item);
    numbers_.push_back(number);
    while (items.size() > most) Thin();
  }

 private:
  void Thin() {
    one_of *= 2;
    size_t kept = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      if (numbers_[i] % one_of != 0) continue;
      items[kept] = items[i];
      numbers_[kept++] = numbers_[i];
    }
    items.resize(kept);
    numbers_.resize(kept);
  }
  std::vector<uint64_t> numbers_;
};

struct Timeline {
  int64_t from = 0, to = 0;  // nanoseconds since the job began: times of the first and the last event
  uint64_t events = 0;
  std::vector<Bins> locations;                    // by column of the profile
  std::vector<std::vector<LongCall>> long_calls;  // by column; by depth, then time
  Sample<Message> messages;
  Sample<Wait> waits;
  Sample<Meeting> meetings;
  std::vector<Stretch> critical;  // in the order of time; empty when there is only one location
  std::vector<Marker> markers;    // by begin
  std::vector<Curve> curves;
  uint64_t curves_left_out = 0;
};

// The names of waits: metrics of the analysis.
inline constexpr const char* kPatternNames[] = {"mpi_latesender",
                                                "mpi_barrier_wait",
                                                "mpi_wait_nxn",
                                                "mpi_latebroadcast",
                                                "mpi_earlyreduce",
                                                "mpi_earlyscan",
                                                "mpi_finalize_wait",
                                                "mpi_init_wait",
                                                "omp_ebarrier_wait",
                                                "omp_ibarrier_wait",
                                                "omp_lock_contention_critical",
                                                "omp_lock_contention_api",
                                                "omp_lock_contention_ordered",
                                                "pthread_lock_contention_mutex_lock",
                                                "pthread_join_wait",
                                                "pthread_condition_wait",
                                                "pthread_semaphore_wait",
                                                "pthread_barrier_wait",
                                                "mpi_rma_wait_at_fence",
                                                "mpi_rma_sync_late_post",
                                                "mpi_rma_early_wait",
                                                "mpi_rma_sync_lock_competition",
                                                "mpi_rma_comm_late_post",
                                                "mpi_rma_comm_lock_competition",
                                                "omp_taskwait_wait",
                                                "omp_ebarrier_tasks",
                                                "omp_ibarrier_tasks",
                                                "pthread_once_wait",
                                                "mpi_latereceiver",
                                                "mpi_lateprogress",
                                                "mpi_earlyreduce_last",
                                                "mpi_comm_wait",
                                                "mpi_file_wait",
                                                "mpi_io_wait",
                                                "mpi_rma_wait_at_create",
                                                "mpi_rma_wait_at_free"};

// Writes the content of timeline.epk, and reads it. Returns false when it is damaged, has another version, or belongs
// to another trace.
std::string Pack(const Timeline& timeline, uint64_t fingerprint);
bool Unpack(const std::string& bytes, uint64_t fingerprint, Timeline* timeline);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_TIMELINE_H_
