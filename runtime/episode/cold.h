// SPDX-License-Identifier: BSD-3-Clause
// A cold function of the hot path. While it works, the thread has no location, so events of a signal handler are
// dropped in pairs, and counted. A signal handler may interrupt the first or the last instructions of a cold function
// and need a cold function itself. The handler's leaves the state of the thread as it found it.
#ifndef EPIK_RUNTIME_EPISODE_COLD_H_
#define EPIK_RUNTIME_EPISODE_COLD_H_

#include <cerrno>

#include "runtime/episode/effort.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace epik::episode {

class Cold {
 public:
  explicit Cold(Location* location)
      : location_(location), errno_(errno), was_inside_(inside), before_(*cold_stack), began_(base::Now()) {
    *cold_stack = reinterpret_cast<uint64_t>(this);
    inside = true;
    EPIK_ORDER();
    current = nullptr;
    EPIK_ORDER();
  }
  ~Cold() {
    errno = errno_;
    EPIK_ORDER();
    PutBack(location_);
    inside = was_inside_;
    *cold_stack = before_;
    if (EPIK_UNLIKELY(choice::hooks.counters_on)) counters::ChargeMeasurement(location_);
    // A time far longer than any of these functions means that another process had the processor.
    constexpr uint64_t kMostTicks = 1'000'000;
    const uint64_t now = base::Now();
    location_->cold_ticks += now - began_ < kMostTicks ? now - began_ : kMostTicks;
    ReadEffortRarely(location_, now);
  }
  Cold(const Cold&) = delete;
  Cold& operator=(const Cold&) = delete;

 private:
  Location* location_;
  int errno_;
  bool was_inside_;
  uint64_t before_;
  uint64_t began_;
};

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_COLD_H_
