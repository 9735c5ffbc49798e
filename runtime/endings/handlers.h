// SPDX-License-Identifier: BSD-3-Clause
// Handlers of our own, set where the program has the default action only; the program never learns of them.
#ifndef EPIK_RUNTIME_ENDINGS_HANDLERS_H_
#define EPIK_RUNTIME_ENDINGS_HANDLERS_H_

#include <signal.h>

namespace epik::episode {

// libc's own: the program's view of sigaction is ours (adapters/process/sigaction.cc).
using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
SigactionFunction RealSigaction();

// A handler of ours for a signal: all others wait meanwhile.
void Handle(int signal, void (*handler)(int, siginfo_t*, void*));

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_ENDINGS_HANDLERS_H_
