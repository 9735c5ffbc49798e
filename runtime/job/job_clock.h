// SPDX-License-Identifier: BSD-3-Clause
// How far the clocks of a job's processes are from that of rank 0.
#ifndef EPIK_RUNTIME_JOB_JOB_CLOCK_H_
#define EPIK_RUNTIME_JOB_JOB_CLOCK_H_

#include <cstdint>

#include "runtime/abi/group.h"
#include "runtime/event/layout.h"

namespace epik::job {

// Collective. `clock`: processes with the same number share one, and are not measured against each other. `now`: this
// process's, in nanoseconds. Offsets add up on the way from rank 0 down a binary tree, so that N processes take log N
// rounds; of each pair's exchanges the quickest counts.
event::ClockOffset SynchronizeClock(archive::Group* group, uint64_t clock, uint64_t (*now)());

// When clocks are measured again: at barriers that all processes come out of, so that nobody waits for anybody who has
// other plans. All count the barriers; at those that the last decision named, rank 0 says by its own clock whether it
// is time, and how many barriers the next decision is away. So most barriers cost a count.
class ClockSchedule {
 public:
  ClockSchedule() = default;
  // All processes have the same; 0: never.
  explicit ClockSchedule(uint64_t interval_ns) : interval_ns_(interval_ns) {}

  bool IsOn() const { return interval_ns_ != 0; }
  // The clocks were measured.
  void Start(uint64_t now_ns) { measured_ns_ = decided_ns_ = now_ns; }
  // Counts a barrier: true when it is one where a decision is due.
  bool IsDue() { return --left_ == 0; }
  // Collective. Whether clocks are to be measured now.
  bool Decide(archive::Group* group, uint64_t now_ns);

 private:
  uint64_t interval_ns_ = 0;
  uint64_t measured_ns_ = 0;
  uint64_t decided_ns_ = 0;
  uint64_t step_ = 1;  // barriers from the last decision to this one
  uint64_t left_ = 1;
};

}  // namespace epik::job

#endif  // EPIK_RUNTIME_JOB_JOB_CLOCK_H_
