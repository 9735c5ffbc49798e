// SPDX-License-Identifier: BSD-3-Clause
// Gives the events of one location.
#ifndef EPIK_ANALYSIS_REPLAY_SOURCE_H_
#define EPIK_ANALYSIS_REPLAY_SOURCE_H_

#include <cstdint>
#include <span>

#include "analysis/replay/world.h"
#include "archive/trace/event.h"

namespace epik::replay {

// The own time of a call path, and how often it was entered.
struct PathTime {
  uint32_t path = kNone;  // kNone: the trace does not have it
  uint32_t visits = 0;
  int64_t ns = 0;
};

// Calls since the event before that a source does not give as events (condenser.h).
struct Skipped {
  std::span<const PathTime> times;  // of whole calls, and of callers until then
  int64_t until = 0;
  uint64_t events = 1;      // of the trace, with the event that comes now
  int64_t ns = kUnknownNs;  // when that is, as the time model has it, if the source had to know

  static constexpr int64_t kUnknownNs = INT64_MIN;
};

class EventSource {
 public:
  virtual ~EventSource() = default;
  // Gives the next event, ordered in time and nested; returns false at the end.
  virtual bool Next(archive::Event* event) = 0;
  // The part of the trace that was left out before the last event. Good until the next one.
  const Skipped& skipped() const { return skipped_; }

 protected:
  Skipped skipped_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_SOURCE_H_
