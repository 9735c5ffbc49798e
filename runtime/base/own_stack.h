// SPDX-License-Identifier: BSD-3-Clause
// A stack of our own, for what needs more than a thread of the program may have left: writing an archive takes some
// 170 KiB, and a thread may have 16.
#ifndef EPIK_RUNTIME_BASE_OWN_STACK_H_
#define EPIK_RUNTIME_BASE_OWN_STACK_H_

namespace epik::base {

// Reserves it; once, when there is time. What is not touched takes no memory.
void ReserveOwnStack();

// Calls the function on the stack that was reserved, or here when there is none (no memory, another processor). One
// thread at a time; nothing may be thrown, and the thread not cancelled, while it runs.
void CallOnOwnStack(void (*function)(void*), void* argument);

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_OWN_STACK_H_
