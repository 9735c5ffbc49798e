// SPDX-License-Identifier: BSD-3-Clause
// The filter's table, which hooks ask at every event while there is a filter.
#ifndef EPIK_RUNTIME_CHOICE_FILTER_HOT_H_
#define EPIK_RUNTIME_CHOICE_FILTER_HOT_H_

#include "runtime/choice/key_set_hot.h"
#include "runtime/episode/hook_state.h"

namespace epik::choice {

EPIK_HOT bool IsFiltered(event::Key key) { return HasKey(__atomic_load_n(&hooks.filtered, __ATOMIC_RELAXED), key); }
EPIK_HOT bool MayPatch() { return EPIK_UNLIKELY(__atomic_load_n(&hooks.may_patch, __ATOMIC_RELAXED)); }

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_FILTER_HOT_H_
