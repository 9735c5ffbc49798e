// SPDX-License-Identifier: BSD-3-Clause
// EPK_CONTROL_SIGNAL: signals that switch the trace, have it written, or pause the measurement, each time they come.
//
// Handlers are set only where the program has the default action, and the program does not see them: it may take the
// signal for itself at any time. They do the same as `epk control` does from outside (runtime/event/control.h).
#ifndef EPIK_RUNTIME_ENDINGS_CONTROL_H_
#define EPIK_RUNTIME_ENDINGS_CONTROL_H_

#include "runtime/episode/part.h"

namespace epik::endings {

// The program has given up this signal. False: EPIK does not use it.
bool ListenAgain(int signal);

bool IsControlHandler(void (*handler)(int));

extern const episode::Part control_part;

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_CONTROL_H_
