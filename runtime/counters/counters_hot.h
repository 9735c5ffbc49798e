// SPDX-License-Identifier: BSD-3-Clause
// Functions for constructs of OpenMP, beside those that every event calls (seams_hot.h).
#ifndef EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_
#define EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_

#include "runtime/episode/seams_hot.h"

namespace epik::counters {

// Reads the counters at the begin of a part of a team, where the outermost calls of the thread begin anew.
EPIK_COLD void ChargePart(event::Location* location);

}  // namespace epik::counters

#endif  // EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_
