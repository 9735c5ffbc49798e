// SPDX-License-Identifier: BSD-3-Clause
// A cold function of the hot path: while it is at work the thread has no location, so events that a signal handler
// brings meanwhile are dropped in pairs, and counted.
#ifndef EPIK_RUNTIME_EPISODE_COLD_H_
#define EPIK_RUNTIME_EPISODE_COLD_H_

#include <cerrno>

#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"

namespace epik::episode {

class Cold {
 public:
  explicit Cold(Location* location) : location_(location), errno_(errno) {
    cold_stack = reinterpret_cast<uint64_t>(this);
    inside = true;
    current = nullptr;
    EPIK_ORDER();
  }
  ~Cold() {
    errno = errno_;
    EPIK_ORDER();
    PutBack(location_);
    inside = false;
    cold_stack = 0;
    if (EPIK_UNLIKELY(counters_on)) ChargeMeasurement(location_);
  }
  Cold(const Cold&) = delete;
  Cold& operator=(const Cold&) = delete;

 private:
  Location* location_;
  int errno_;
};

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_COLD_H_
