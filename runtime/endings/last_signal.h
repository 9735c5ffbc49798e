// SPDX-License-Identifier: BSD-3-Clause
// Signals that would end the program still end it in the same way, but the measurement is rescued first.
//
// Handlers are set only where the program has the default action, and the program never learns of them.
#ifndef EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_
#define EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_

#include <signal.h>

#include "runtime/episode/part.h"

namespace epik::endings {

// Makes a disposition with our handler look like the default, for a program that asks for it.
void HideOurHandler(struct sigaction* seen);
bool IsOurHandler(void (*handler)(int));

// The program has set this signal to its default action again: watch it again.
void WatchAgain(int signal);

extern const episode::Part last_signals_part;

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_LAST_SIGNAL_H_
