// SPDX-License-Identifier: BSD-3-Clause
// The rest of the way of an unusual event that no filter excludes (unusual.cc).
#ifndef EPIK_RUNTIME_CHOICE_UNFILTERED_H_
#define EPIK_RUNTIME_CHOICE_UNFILTERED_H_

#include "runtime/event/layout.h"

namespace epik::choice {

void EnterUnfiltered(event::Key key, uint64_t stack);
void ExitUnfiltered(event::Key key, uint64_t stack);

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_UNFILTERED_H_
