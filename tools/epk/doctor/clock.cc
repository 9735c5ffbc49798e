// SPDX-License-Identifier: BSD-3-Clause
// Judges the clocks that EPIK can use here.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "tools/epk/doctor/check.h"
#include "tools/epk/doctor/probe.h"
#include "tools/epk/doctor/tsc.h"
#include "view/number.h"

namespace epik::epk::doctor {
namespace {

constexpr char kClocksource[] = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
constexpr double kSlowRead = 100e-9;  // several times the cost of a function call: the profile would show the clock

uint64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t ReadMonotonic() { return Nanoseconds(CLOCK_MONOTONIC); }

struct Moment {
  uint64_t ticks, nanoseconds;
};

// Both clocks at once: the try that was interrupted least.
Moment Both() {
  Moment best{};
  uint64_t narrowest = UINT64_MAX;
  for (int i = 0; i < 50; ++i) {
    const uint64_t before = Nanoseconds(CLOCK_MONOTONIC_RAW), ticks = ReadTsc(),
                   after = Nanoseconds(CLOCK_MONOTONIC_RAW);
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = {ticks, before + narrowest / 2};
  }
  return best;
}

// Some 20 ms: good to a few parts in a million.
double MeasureTscHertz() {
  const Moment start = Both();
  const timespec pause{0, 20000000};
  nanosleep(&pause, nullptr);
  const Moment end = Both();
  return static_cast<double>(end.ticks - start.ticks) / static_cast<double>(end.nanoseconds - start.nanoseconds) * 1e9;
}

double TscHertz() {
  static const double hertz = MeasureTscHertz();
  return hertz;
}

// Seconds for one read: the best of several runs, since others use this machine too.
double Cost(uint64_t (*read)()) {
  constexpr int kReads = 20000, kRuns = 7;
  uint64_t best = UINT64_MAX;
  for (int run = 0; run < kRuns; ++run) {
    const uint64_t start = Nanoseconds(CLOCK_MONOTONIC_RAW);
    for (int i = 0; i < kReads; ++i) {
      const uint64_t now = read();
      __asm__ volatile("" ::"r"(now));  // the value is used, as far as the compiler knows
    }
    best = std::min(best, Nanoseconds(CLOCK_MONOTONIC_RAW) - start);
  }
  return static_cast<double>(best) / kReads * 1e-9;
}

uint64_t SmallestStep(uint64_t (*read)()) {
  uint64_t smallest = UINT64_MAX, last = read();
  for (int i = 0; i < 20000; ++i) {
    const uint64_t now = read();
    if (now > last) smallest = std::min(smallest, now - last);
    last = now;
  }
  return smallest;
}

Finding CostFinding(double cost, double step) {
  Finding finding{Verdict::kOk, view::Seconds(cost) + ", smallest step seen " + view::Seconds(step), "", {}};
  finding.numbers = {{"read_ns", cost * 1e9}, {"step_ns", step * 1e9}};
  return finding;
}

}  // namespace

Finding JudgeTsc(bool present, bool invariant, const std::string& clocksource, double hertz) {
  if (!present) return {Verdict::kNone, "not on this kind of processor: clock_gettime is used", ""};
  const std::string rate = view::Scaled(hertz, "Hz");
  const std::string kernel = clocksource.empty() ? "" : ", kernel clock " + clocksource;
  // The kernel falls back to these when it found the counter wrong. It knows better than the processor's flag.
  const bool distrusted = clocksource == "hpet" || clocksource == "acpi_pm" || clocksource == "jiffies";
  Finding finding{Verdict::kOk, "", "", {{"hertz", hertz}, {"invariant", invariant ? 1.0 : 0.0}}};
  if (distrusted || (!invariant && clocksource != "tsc")) {
    finding.verdict = Verdict::kWarn;
    finding.value = rate + (distrusted ? ", not trusted by the kernel" : ", not invariant") + kernel;
    finding.remedy = "clock_gettime is used instead (EPK_TIMER=monotonic): each event costs more";
  } else {
    finding.value = rate + (invariant ? ", invariant" : "") + kernel;
  }
  return finding;
}

Finding LookAtTsc(const char*) {
  const bool present = TscPresent();
  return JudgeTsc(present, TscInvariant(), FirstLine(kClocksource), present ? TscHertz() : 0);
}

Finding LookAtTscCost(const char*) {
  if (!TscPresent()) return {Verdict::kNone, "not on this kind of processor", ""};
  const double cost = Cost(ReadTsc);
  Finding finding = CostFinding(cost, static_cast<double>(SmallestStep(ReadTsc)) / TscHertz());
  if (cost > kSlowRead) {
    finding.verdict = Verdict::kWarn;
    finding.remedy =
        "this virtual machine intercepts it: ask for TSC passthrough, or use EPK_TIMER=monotonic if that is cheaper";
  }
  return finding;
}

Finding LookAtMonotonic(const char*) {
  const double cost = Cost(ReadMonotonic);
  Finding finding = CostFinding(cost, static_cast<double>(SmallestStep(ReadMonotonic)) * 1e-9);
  // This clock is only the fallback: its slowness matters only if it would be used.
  if (cost > kSlowRead && !TscPresent()) {
    finding.verdict = Verdict::kWarn;
    finding.remedy = "every event reads the clock twice: expect overhead in programs with many short functions";
  }
  return finding;
}

}  // namespace epik::epk::doctor
