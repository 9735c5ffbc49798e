// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/gate.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "runtime/base/log.h"
#include "runtime/choice/named_keys.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"
#include "runtime/episode/seams_hot.h"
#include "runtime/event/control.h"

namespace epik::choice {

bool has_gate = false;
EPIK_PER_THREAD base::PerThread<Gate> gate;

namespace {

constexpr uint32_t kMostWindows = 16;
constexpr uint32_t kMostSwitches = 64;
struct Measured {
  RegionWindow windows[kMostWindows];
  uint32_t window_count = 0;
  // When threads pause or go on: at `switch_at`, and so on by turns.
  uint64_t switch_at[kMostSwitches] = {};
  uint32_t switch_count = 0;
  uint32_t switches_done = 0;
  bool starts_paused = false;
};
// Constant-initialized: hooks may run before the constructors of this library.
constinit Measured measured;
struct Visits {
  uint64_t of[kMostWindows];
};
EPIK_PER_THREAD base::PerThread<Visits> visits;

void StartWindows(const std::vector<config::TraceSelection::Window>& chosen) {
  measured.window_count = 0;
  for (const config::TraceSelection::Window& one : chosen) {
    if (measured.window_count == kMostWindows) {
      base::Say("EPK_MEASURE: only the first %u windows are used", kMostWindows);
      break;
    }
    measured.windows[measured.window_count++] = {"EPK_MEASURE", one};
  }
  has_gate = true;
  AddWay(kGateWay);
}

// As one list without overlaps.
void StartSpans(std::vector<config::MeasureSelection::Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) { return a.from_ns < b.from_ns; });
  measured.switch_count = measured.switches_done = 0;
  int64_t end = -1;
  bool has_more = false;
  const auto add = [&has_more](int64_t ns) {
    has_more = measured.switch_count == kMostSwitches;
    if (has_more) return;
    measured.switch_at[measured.switch_count++] = event::Process()->start_ticks + episode::TicksOf(ns);
  };
  for (const auto& [from_ns, to_ns] : spans) {
    if (end >= 0 && from_ns > end) add(end);
    if (end < 0 || from_ns > end) add(from_ns);
    end = std::max(end, to_ns);
  }
  if (end != std::numeric_limits<int64_t>::max()) add(end);
  if (has_more) base::Say("EPK_MEASURE: only the first %u moments are used", kMostSwitches);
  measured.starts_paused = true;
  event::PauseOf({base::arena_base, event::Process()->arena.bytes}, true);
  AddWay(kClockWay);
  LookAtClock();
}

}  // namespace

void StartGate(const episode::Options& options) {
  const config::MeasureSelection& selection = options.settings.measure;
  if (selection.always()) return;
  episode::SeeEachEvent();
  if (!selection.windows.empty()) StartWindows(selection.windows);
  if (!selection.spans.empty()) StartSpans(selection.spans);
}

uint32_t WindowsOf(event::Key key) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < measured.window_count; ++i) found |= uint32_t{measured.windows[i].region->Has(key)} << i;
  return found;
}

bool CountInWindow(uint32_t window) { return measured.windows[window].Holds(++visits->of[window]); }

void LookAtClock() {
  if ((WaysNow() & kClockWay) == 0) return;
  uint32_t done = __atomic_load_n(&measured.switches_done, __ATOMIC_ACQUIRE);
  while (done < measured.switch_count && base::Now() >= measured.switch_at[done]) {
    if (!__atomic_compare_exchange_n(&measured.switches_done, &done, done + 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
      continue;
    event::PauseOf({base::arena_base, event::Process()->arena.bytes}, done % 2 != 0);
    ++done;
  }
  if (done == measured.switch_count) DropWay(kClockWay);
}

void NoteGate() {
  if (!has_gate && !measured.starts_paused) return;
  episode::Note("only what EPK_MEASURE selects was measured; the time of the rest is \"paused\"");
  for (uint32_t i = 0; i < measured.window_count; ++i) measured.windows[i].NoteUnopened("EPK_MEASURE");
}

void ForgetGate() {
  *gate = {};
  *visits = {};
  has_gate = false;
  measured.starts_paused = false;
  measured.window_count = 0;
  DropWay(kGateWay);
  DropWay(kClockWay);
}

const episode::Part gate_part = {.name = "gate", .start = StartGate, .finish = NoteGate, .forget = ForgetGate};

}  // namespace epik::choice
