// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/period.h"

#include "runtime/base/clock.h"
#include "runtime/event/layout.h"

namespace epik::monitor {

namespace {

constexpr uint64_t kPeriodNs = 250'000'000;

}  // namespace

// Computed once: no clock drifts so far that it matters here.
uint64_t TicksOfPeriod() {
  static constinit uint64_t ticks = 0;
  const uint64_t known_ticks = __atomic_load_n(&ticks, __ATOMIC_RELAXED);
  if (known_ticks != 0) return known_ticks;
  const base::ClockPair first = event::Process()->first_pair, now = base::ReadClockPair();
  if (!base::clock_is_tsc || now.ns <= first.ns || now.ticks <= first.ticks) return kPeriodNs;
  const double ticks_per_ns = static_cast<double>(now.ticks - first.ticks) / static_cast<double>(now.ns - first.ns);
  const auto period = static_cast<uint64_t>(static_cast<double>(kPeriodNs) * ticks_per_ns);
  // Soon after the first reading the scale is not known well.
  if (now.ns - first.ns > kPeriodNs) __atomic_store_n(&ticks, period, __ATOMIC_RELAXED);
  return period;
}

}  // namespace epik::monitor
