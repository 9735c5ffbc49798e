// SPDX-License-Identifier: BSD-3-Clause
// Counters at every event: what was counted since the event before belongs to the call path that was current meanwhile.
// So it is added before that changes, and the sum over all call paths is what was counted. Asked only where filters are
// asked (EnterUnfiltered, ExitUnfiltered) and where a construct of OpenMP begins or ends.
#ifndef EPIK_RUNTIME_EPISODE_COUNTERS_HOT_H_
#define EPIK_RUNTIME_EPISODE_COUNTERS_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

extern bool counters_on;

// Reads all counters of the calling thread, whose location it is.
__attribute__((noinline)) void ChargeNow(event::Location* location);
// The same, when it was the measurement itself that was at work since the last time.
EPIK_COLD void ChargeMeasurement(event::Location* location);

// And its outermost calls begin anew: a part of a team.
EPIK_COLD void ChargePart(event::Location* location);

EPIK_HOT void Charge(event::Location* location) {
  if (EPIK_UNLIKELY(__atomic_load_n(&counters_on, __ATOMIC_RELAXED))) ChargeNow(location);
}

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_COUNTERS_HOT_H_
