// SPDX-License-Identifier: BSD-3-Clause
// The state of the whole process that hooks read at each event.
//
// It is global, and in one place, because that is cheapest: a hook gets a key and a stack address, and reads a global
// with one instruction. To find an owner would take one more load for each event. All of it lies in one line of the
// cache, which only cold paths write. All other state has an owner: the process (event::Process), the location of a
// thread, or one part of the measurement.
//
// Only the room that is named beside a member writes it.
#ifndef EPIK_RUNTIME_EPISODE_HOOK_STATE_H_
#define EPIK_RUNTIME_EPISODE_HOOK_STATE_H_

#include <cstdint>

#include "runtime/base/arena.h"

namespace epik::choice {

struct HotSlot;   // runtime/choice/hot_paths_hot.h
struct KeyTable;  // runtime/choice/key_set_hot.h

}  // namespace epik::choice

namespace epik::episode {

struct alignas(base::kLineBytes) HookState {
  // Each event takes the unusual way. Hooks read this first, and the other members only if it is true. Set once, never
  // cleared.
  bool unusual = false;
  bool off = false;          // episode: nothing is measured, and nothing will be
  bool counters_on = false;  // counters: EPK_METRICS
  bool may_patch = false;    // choice: calls of hooks that come for what is filtered may be patched out (patch.h)
  uint32_t ways = 0;         // choice: everything beside the filter that decides about events (ways_hot.h)
  uint32_t depth_limit = 0;  // choice: EPK_DEPTH, regions on a call path below the program; 0: as many as there are
  // choice: EPK_HOT and EPK_BUDGET, by line of a node; null while there is nothing to do
  choice::HotSlot* hot_slots = nullptr;
  char* probes = nullptr;  // choice: EPK_HOT=probe, by line of a location (choice::Probe)
  // choice: the keys that filters exclude or that are switched off for now. A key is put in before its first visit, so
  // that enter and exit of a visit get the same answer. Never null.
  const choice::KeyTable* filtered;
  const choice::KeyTable* switched_off;
};

}  // namespace epik::episode

namespace epik::choice {

extern EPIK_HIDDEN episode::HookState hooks;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_EPISODE_HOOK_STATE_H_
