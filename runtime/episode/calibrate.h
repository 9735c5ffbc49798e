// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of one enter and exit on this machine, in ticks. Reports multiply it by the number of events.
#ifndef EPIK_RUNTIME_EPISODE_CALIBRATE_H_
#define EPIK_RUNTIME_EPISODE_CALIBRATE_H_

#include <cstdint>

#include "runtime/base/arena.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// While it lives the calling thread has a location whose events leave nothing behind. REQUIRES: an arena, and the
// thread has no location.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
};

// The call path that TicksOfPair enters and leaves.
inline constexpr uint32_t kScratchLine = 64;
inline constexpr uint32_t kScratchNode = kScratchLine + sizeof(event::Location) / base::kLineBytes + 1;
// A line that it does not use.
inline constexpr uint32_t kScratchSpare = kScratchNode + 7;

// Ticks that an enter and exit take. Takes some 30 microseconds. REQUIRES: a Scratch.
double TicksOfPair();

// Ticks that the hooks add to a function that does nothing, with what the compiler adds around them. REQUIRES: a
// Scratch.
double TicksOfHooks();

// Notes what a pair adds to a function that works. Takes some 50 microseconds. REQUIRES: a Scratch.
void CalibrateBehindWork();

// The same as TicksOfPair for callees in random order, which no processor can predict. Takes some 200 microseconds.
double TicksOfFan();

extern const Part calibration_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_CALIBRATE_H_
