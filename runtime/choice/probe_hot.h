// SPDX-License-Identifier: BSD-3-Clause
// EPK_HOT=probe: measures the cost of measuring in the run itself.
//
// All visits are timed, but for a few short windows in which a small function is called again and again: their hooks
// count the visit when it begins, and do nothing else. Such windows and timed ones follow each other, so the same
// program runs in both, with the same caches and the same neighbours. The time that a timed window takes beyond a
// counted one is what timing costs, as far as the program's own work does not hide it.
//
// A private table of the process holds the state of each location, by its line. The arena holds what readers need
// (event::ProbedPath).
#ifndef EPIK_RUNTIME_CHOICE_PROBE_HOT_H_
#define EPIK_RUNTIME_CHOICE_PROBE_HOT_H_

#include "runtime/episode/hook_state.h"
#include "runtime/episode/location_hot.h"

namespace epik::choice {

enum class ProbeKind : uint32_t { kTimed = 0, kCounted, kTwice };
inline constexpr uint32_t kProbeKinds = 3;
// Rounds of a batch, each with a window of each kind, and visits of a window.
inline constexpr uint32_t kProbeRounds = 9;
inline constexpr uint32_t kProbeVisits = 64;

// The second counting of a visit reads and writes this memory. Nobody needs its values.
struct CountedAgain {
  uint64_t open, visits, untimed;
  uint32_t left, parent;
};

// The state of a location.
struct Probe {
  uint32_t left;   // visits until something is decided, and 1; 0: the location is new
  ProbeKind kind;  // of the visits until then
  // The function that is counted: its call path and that of its caller, and its ProbedPath. Nothing was ever called
  // from it. The node knows the function: its key changes when the module is unmapped.
  uint32_t parent, node, line;
  uint64_t busy;  // where on the stack something is decided: a signal handler that comes meanwhile must not decide; 0
  uint64_t open;  // where on the stack a counted visit is open that has no frame; 0: none
  // probe.cc
  uint32_t part;     // of the windows: each has two, the first one warms up; the last number: the next batch is to come
  uint32_t later;    // visits until the next batch
  uint64_t started;  // ticks
  float took[kProbeKinds];       // ticks of a visit in each window of this round
  float counted;                 // ticks of a counted visit in the fastest window
  float timing[kProbeRounds];    // ticks that timing adds to a counted visit
  float counting[kProbeRounds];  // ticks that counting it again adds
  CountedAgain again;
};

// Each line of the arena has so many bytes in the table, and a location has seven lines.
inline constexpr uint64_t kProbeBytesOfLine = 32;
static_assert(sizeof(Probe) <= sizeof(event::Location) / base::kLineBytes * kProbeBytesOfLine);

EPIK_HOT bool HasProbes() { return __atomic_load_n(&hooks.probes, __ATOMIC_RELAXED) != nullptr; }
EPIK_HOT Probe* ProbeOf(const event::Location* location) {
  return reinterpret_cast<Probe*>(hooks.probes + base::LineOf(location) * kProbeBytesOfLine);
}

// Whether the function that is being counted is entered.
EPIK_HOT bool IsCounted(const Probe* probe, const event::Location* location, event::Key key) {
  return probe->parent == location->node && event::NodeAt(probe->node)->key == key && probe->open == 0;
}

// A visit without a frame begins. It is counted now, so that the end of the program does not lose it.
EPIK_HOT void BeginCounted(Probe* probe, event::Node* node, uint64_t stack) {
  ++node->visits;
  ++base::LineAt<event::ProbedPath>(probe->line)->untimed;
  EPIK_ORDER();
  probe->open = stack;
}

// Handle all other calls: calls that are new or filtered, that have returned without an exit, or about which something
// must be decided.
__attribute__((noinline)) void EnterProbedSlowly(event::Key key, uint64_t stack);
__attribute__((noinline)) void ExitProbedSlowly(event::Key key, uint64_t stack);

// Does what the two hooks of a counted visit do, calls included, and leaves nothing behind.
__attribute__((noinline)) void CountAgain(event::Location* location, event::Key key);

// Gives a frame to the visit that has none, because something else decides about events now, too. REQUIRES: HasProbes.
void StopProbing();

// EnterUnusual and ExitUnusual call these while calls are probed and nothing else is unusual.
EPIK_HOT void EnterProbed(event::Location* location, event::Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(location == nullptr)) return EnterProbedSlowly(key, stack);
  Probe* probe = ProbeOf(location);
  const uint32_t left = probe->left;
  if (EPIK_UNLIKELY(left < 2)) return EnterProbedSlowly(key, stack);
  if (EPIK_UNLIKELY(probe->kind != ProbeKind::kTimed)) {
    if (EPIK_UNLIKELY(!IsCounted(probe, location, key))) return EnterProbedSlowly(key, stack);
    probe->left = left - 1;
    return BeginCounted(probe, event::NodeAt(probe->node), stack);
  }
  const uint32_t child = epitome::LastChild(event::NodeAt(location->node), key);
  const bool usual = child != 0 && episode::HasRoomForFrame(location);
  if (EPIK_UNLIKELY(!usual)) return EnterProbedSlowly(key, stack);
  probe->left = left - 1;
  episode::Push(location, child, key, stack, base::ReadTsc);
}

EPIK_HOT void ExitProbed(event::Location* location, event::Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(location == nullptr)) return ExitProbedSlowly(key, stack);
  const event::Frame* frame = event::FrameAt(location->top);
  // The innermost frame is another visit's if this one has none; and it is not filled yet if a handler interrupted
  // that.
  const bool is_its_frame = frame->key == key && frame->node == location->node;
  if (EPIK_LIKELY(is_its_frame && (frame->entered & event::kUntimed) == 0)) {
    const uint64_t left = base::ReadTsc();
    return episode::Pop(location, frame, left);
  }
  Probe* probe = ProbeOf(location);
  const bool is_open = probe->open == stack && event::NodeAt(probe->node)->key == key;
  if (EPIK_UNLIKELY(!is_open)) return ExitProbedSlowly(key, stack);
  probe->open = 0;
  if (EPIK_UNLIKELY(probe->kind == ProbeKind::kTwice)) CountAgain(location, key);
}

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_PROBE_HOT_H_
