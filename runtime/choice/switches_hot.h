// SPDX-License-Identifier: BSD-3-Clause
// The functions and regions that are switched off now. Only the way of filters asks, while there are any.
#ifndef EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
#define EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_

#include "runtime/choice/key_set_hot.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/hook_state.h"

namespace epik::choice {

EPIK_HOT bool IsSwitchedOff(event::Key key) {
  return HasKey(__atomic_load_n(&hooks.switched_off, __ATOMIC_ACQUIRE), key);
}

// A call of what is off has a frame, so that its end is known for what it is, whatever is on by then. What it calls
// hangs below its caller.
void EnterOff(event::Key key, uint64_t stack);

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_SWITCHES_HOT_H_
