// SPDX-License-Identifier: BSD-3-Clause
// Functions that do nothing and have hooks, like those that an instrumented program calls all the time.
#ifndef EPIK_TOOLS_CALIBRATE_CALLEES_H_
#define EPIK_TOOLS_CALIBRATE_CALLEES_H_

#include <cstdint>

namespace epik::calibrate {

inline constexpr uint32_t kCallees = 512;
extern void (*const callees[kCallees])();

}  // namespace epik::calibrate

#endif  // EPIK_TOOLS_CALIBRATE_CALLEES_H_
