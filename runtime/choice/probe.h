// SPDX-License-Identifier: BSD-3-Clause
// EPK_HOT=probe: plans the windows in which visits are not timed, and computes what timing costs from them.
#ifndef EPIK_RUNTIME_CHOICE_PROBE_H_
#define EPIK_RUNTIME_CHOICE_PROBE_H_

#include <cstdint>

#include "runtime/episode/part.h"

namespace epik::choice {

struct ProbeLimits {
  uint64_t first = 20'000;     // a thread is probed after so many visits,
  uint64_t percall_ticks = 0;  // if a visit takes less on average
};

// False: no memory. REQUIRES: inside.
bool StartProbes(const ProbeLimits& limits);

extern const episode::Part probe_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_PROBE_H_
