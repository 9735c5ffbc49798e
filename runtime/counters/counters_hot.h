// SPDX-License-Identifier: BSD-3-Clause
// What constructs of OpenMP ask of counters beside what every event does (seams_hot.h).
#ifndef EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_
#define EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_

#include "runtime/episode/seams_hot.h"

namespace epik::episode {

// Reads them, and the outermost calls of the thread begin anew: a part of a team.
EPIK_COLD void ChargePart(event::Location* location);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_COUNTERS_COUNTERS_HOT_H_
