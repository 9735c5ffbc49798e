// SPDX-License-Identifier: BSD-3-Clause
// Measures the parts of the floor within one process: the cost of a clock read, alone and in pairs, and of other
// clocks.
#include <benchmark/benchmark.h>
#include <time.h>

#include <cstdint>

#include "bench/floors/ticks.h"

namespace {

thread_local volatile uint64_t last_ticks;

void TicksOnce(benchmark::State& state) {
  for (auto _ : state) last_ticks = ReadTicks();
}
BENCHMARK(TicksOnce);

// An enter and an exit: the least that hooks add, without their two calls.
void TicksTwice(benchmark::State& state) {
  for (auto _ : state) {
    last_ticks = ReadTicks();
    benchmark::ClobberMemory();
    last_ticks = ReadTicks();
  }
}
BENCHMARK(TicksTwice);

void ClockTwice(benchmark::State& state) {
  const auto clock = static_cast<clockid_t>(state.range(0));
  timespec now{};
  for (auto _ : state) {
    clock_gettime(clock, &now);
    last_ticks = static_cast<uint64_t>(now.tv_nsec);
    clock_gettime(clock, &now);
    last_ticks = static_cast<uint64_t>(now.tv_nsec);
  }
}
BENCHMARK(ClockTwice)->Arg(CLOCK_MONOTONIC)->Arg(CLOCK_MONOTONIC_RAW)->Arg(CLOCK_THREAD_CPUTIME_ID);

}  // namespace

BENCHMARK_MAIN();
