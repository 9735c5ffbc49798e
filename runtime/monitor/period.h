// SPDX-License-Identifier: BSD-3-Clause
// How often a thread works on its notes although few have come.
#ifndef EPIK_RUNTIME_MONITOR_PERIOD_H_
#define EPIK_RUNTIME_MONITOR_PERIOD_H_

#include <cstdint>

namespace epik::monitor {

// A quarter of a second, in ticks of the events' clock.
uint64_t TicksOfPeriod();

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_PERIOD_H_
