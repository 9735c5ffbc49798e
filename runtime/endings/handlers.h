// SPDX-License-Identifier: BSD-3-Clause
// Handlers of our own. They are set only where the program has the default action, and the program does not see them.
#ifndef EPIK_RUNTIME_ENDINGS_HANDLERS_H_
#define EPIK_RUNTIME_ENDINGS_HANDLERS_H_

#include <signal.h>

namespace epik::endings {

// libc's function. Our wrapper replaces it for the program (adapters/process/sigaction.cc).
using SigactionFunction = int (*)(int, const struct sigaction*, struct sigaction*);
SigactionFunction RealSigaction();

// Sets a handler of ours for a signal. While it runs, all other signals wait.
void Handle(int signal, void (*handler)(int, siginfo_t*, void*));

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_HANDLERS_H_
