// SPDX-License-Identifier: BSD-3-Clause
#ifndef EPIK_ANALYSIS_REPLAY_SECONDS_H_
#define EPIK_ANALYSIS_REPLAY_SECONDS_H_

#include <cstdint>

namespace epik::replay {

constexpr double Seconds(int64_t ns) { return static_cast<double>(ns) * 1e-9; }

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_SECONDS_H_
