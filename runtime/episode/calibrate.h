// SPDX-License-Identifier: BSD-3-Clause
// What one enter and exit cost here and now, in ticks: the reports multiply it by the number of events.
#ifndef EPIK_RUNTIME_EPISODE_CALIBRATE_H_
#define EPIK_RUNTIME_EPISODE_CALIBRATE_H_

#include "runtime/episode/hot_paths.h"

namespace epik::episode {

// REQUIRES: an arena, and the calling thread has no location. Takes some 30 microseconds and leaves nothing behind.
double CalibratePair();

// The same while hot paths are looked for. REQUIRES: HasHotPaths() besides.
HotCosts CalibrateHot();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_CALIBRATE_H_
