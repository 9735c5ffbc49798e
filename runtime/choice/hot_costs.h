// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of one enter and exit while hot paths are searched (calibrate.h).
#ifndef EPIK_RUNTIME_CHOICE_HOT_COSTS_H_
#define EPIK_RUNTIME_CHOICE_HOT_COSTS_H_

#include "runtime/choice/sampled_paths.h"

namespace epik::choice {

// REQUIRES: as Scratch, and HasHotPaths().
HotCosts CalibrateHot();

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_HOT_COSTS_H_
