// SPDX-License-Identifier: BSD-3-Clause
// How far the clocks of a job's processes are from that of rank 0.
#ifndef EPIK_RUNTIME_JOB_JOB_CLOCK_H_
#define EPIK_RUNTIME_JOB_JOB_CLOCK_H_

#include <cstdint>

#include "runtime/abi/group.h"
#include "runtime/event/layout.h"

namespace epik::job {

// Collective. `clock`: processes with the same number share a clock, and are not measured against each other. `now`:
// this process's clock, in nanoseconds. Offsets add up on the way from rank 0 down a binary tree, so that N processes
// take log N rounds. The quickest of each pair's exchanges counts.
event::ClockOffset SynchronizeClock(archive::Group* group, uint64_t clock, uint64_t (*now)());

// Decides when clocks are measured again: at barriers that all processes leave, so that none waits for a process that
// does other work. All processes count the barriers. At a barrier that the last decision named, rank 0 decides by its
// own clock whether it is time, and how many barriers later the next decision comes. So most barriers cost a count.
class ClockSchedule {
 public:
  ClockSchedule() = default;
  // All processes pass the same interval; 0: never.
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
