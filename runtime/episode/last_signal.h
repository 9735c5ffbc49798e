// SPDX-License-Identifier: BSD-3-Clause
// Signals that would end the program: they still do, in the same way, but the measurement is rescued first.
//
// Handlers are set only where the program has the default action, and the program never learns of them.
#ifndef EPIK_RUNTIME_EPISODE_LAST_SIGNAL_H_
#define EPIK_RUNTIME_EPISODE_LAST_SIGNAL_H_

#include <signal.h>

namespace epik::episode {

// libc's own: the program's view of sigaction is ours (adapters/process/sigaction.cc).
using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
SigactionFunction RealSigaction();

// A handler of ours for a signal: all others wait meanwhile.
void Handle(int signal, void (*handler)(int, siginfo_t*, void*));

// Called when measurement starts.
void WatchLastSignals();

// A thread that overflows its stack can be rescued only on another one. Given to threads that have none.
void LendSignalStack();
void TakeSignalStackBack();

// What the program should see of a disposition it asks for: ours looks like the default.
void HideOurHandler(struct sigaction* seen);
bool IsOurHandler(void (*handler)(int));

// The program has set this signal to its default action again: watch it again.
void WatchAgain(int signal);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LAST_SIGNAL_H_
