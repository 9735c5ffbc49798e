// SPDX-License-Identifier: BSD-3-Clause
// Signals that would end the program: they still do, in the same way, but the measurement is rescued first.
//
// Handlers are set only where the program has the default action, and the program never learns of them.
#ifndef EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_
#define EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_

#include <signal.h>

#include "runtime/episode/part.h"

namespace epik::episode {

// What the program should see of a disposition it asks for: ours looks like the default.
void HideOurHandler(struct sigaction* seen);
bool IsOurHandler(void (*handler)(int));

// The program has set this signal to its default action again: watch it again.
void WatchAgain(int signal);

// Besides, a thread that has no signal stack is lent one: it can be rescued from an overflow of its stack only there.
extern const Part last_signals_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_
