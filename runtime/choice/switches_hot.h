// SPDX-License-Identifier: BSD-3-Clause
// The functions and regions that are switched off now. Hooks ask only on the way of filters, and only while there are
// any.
#ifndef EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
#define EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_

#include "runtime/choice/key_set_hot.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/hook_state.h"

namespace epik::choice {

EPIK_HOT bool IsSwitchedOff(event::Key key) {
  return HasKey(__atomic_load_n(&hooks.switched_off, __ATOMIC_ACQUIRE), key);
}

// Enters a call of a function or region that is off. The call has a frame, so that its exit is recognized even if the
// group is on by then. Its callees hang below its caller.
void EnterOff(event::Key key, uint64_t stack);

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
