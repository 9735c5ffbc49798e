// SPDX-License-Identifier: BSD-3-Clause
// Whether we run below a signal handler of the program, which may have interrupted anything.
#ifndef EPIK_RUNTIME_ENDINGS_HANDLER_STACK_H_
#define EPIK_RUNTIME_ENDINGS_HANDLER_STACK_H_

namespace epik::endings {

// True when the stack above the caller holds the frame of a signal. Async-signal-safe; x86-64 only, false elsewhere.
bool InSignalHandler();

}  // namespace epik::endings

#endif  // EPIK_RUNTIME_ENDINGS_HANDLER_STACK_H_
