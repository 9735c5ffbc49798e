// SPDX-License-Identifier: BSD-3-Clause
// A counted visit once more, for windows in which visits are counted twice.
#include "runtime/choice/probe_hot.h"
#include "runtime/choice/ways_hot.h"

namespace epik::choice {

using event::Key;
using event::Location;

namespace {

using Hook = void (*)(Key);

// These read what the doors of hooks read, and go on as EnterProbed and ExitProbed do.
__attribute__((noinline)) void EnterDoor(Key key, uint64_t stack, Location* location) {
  __asm__ volatile("" ::"r"(WaysNow()));
  Probe* probe = ProbeOf(location);
  CountedAgain* again = &probe->again;
  const uint32_t left = again->left;
  if (EPIK_UNLIKELY(left == 1 || probe->kind == ProbeKind::kTimed)) return;
  const bool is_it = again->parent == location->node && event::NodeAt(probe->node)->key == key && again->open == 0;
  if (EPIK_UNLIKELY(!is_it)) return;
  again->left = left - 1;
  ++again->visits;
  ++again->untimed;
  EPIK_ORDER();
  again->open = stack;
}

__attribute__((noinline)) void ExitDoor(Key key, uint64_t stack, Location* location) {
  __asm__ volatile("" ::"r"(WaysNow()));
  if (event::FrameAt(location->top)->key == key) return;
  Probe* probe = ProbeOf(location);
  CountedAgain* again = &probe->again;
  if (EPIK_UNLIKELY(again->open != stack || event::NodeAt(probe->node)->key != key)) return;
  again->open = 0;
}

// The address of the caller's frame, which both hooks of a visit share, is not at hand.
__attribute__((noinline)) void EnterHook(Key key) {
  __asm__ volatile("" ::"r"(episode::IsUnusual()));
  EnterDoor(key, ~key, episode::current);
}
__attribute__((noinline)) void ExitHook(Key key) {
  __asm__ volatile("" ::"r"(episode::IsUnusual()));
  ExitDoor(key, ~key, episode::current);
}

volatile Hook enter_hook = EnterHook, exit_hook = ExitHook;

}  // namespace

void CountAgain(Location* location, Key key) {
  enter_hook(key);
  exit_hook(key);
  __asm__ volatile("" ::"r"(location));
}

}  // namespace epik::choice
