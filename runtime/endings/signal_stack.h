// SPDX-License-Identifier: BSD-3-Clause
// Lends a signal stack to threads without one: only there can a thread be rescued from an overflow of its stack.
#ifndef EPIK_RUNTIME_ENDINGS_SIGNAL_STACK_H_
#define EPIK_RUNTIME_ENDINGS_SIGNAL_STACK_H_

#include <signal.h>

#include "runtime/event/layout.h"

namespace epik::endings {

// The stack that this thread was lent, even if the program has set another one since. SS_DISABLE: it was lent none.
stack_t LentStack();

void LendSignalStack(event::Location* location, bool within);
void TakeSignalStackBack();

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_SIGNAL_STACK_H_
