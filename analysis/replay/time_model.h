// SPDX-License-Identifier: BSD-3-Clause
// The times of events, as the analysis shall see them. Replay asks only for times that somebody needs.
#ifndef EPIK_ANALYSIS_REPLAY_TIME_MODEL_H_
#define EPIK_ANALYSIS_REPLAY_TIME_MODEL_H_

#include <cstdint>
#include <vector>

#include "analysis/replay/world.h"

namespace epik::replay {

class TimeModel {
 public:
  virtual ~TimeModel() = default;
  // Nanoseconds since the job began, for `ticks` of the process of that location. The result never falls when ticks
  // grow.
  virtual int64_t Ns(uint32_t location, uint64_t ticks) = 0;
};

// The measured times, in rank 0's clock.
class MeasuredTime : public TimeModel {
 public:
  explicit MeasuredTime(const World* world) {
    for (const Location& location : world->locations) clocks_.push_back(&world->processes[location.process].clock);
  }
  int64_t Ns(uint32_t location, uint64_t ticks) override { return clocks_[location]->Ns(ticks); }

 private:
  std::vector<const archive::Clock*> clocks_;  // by location
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_TIME_MODEL_H_
