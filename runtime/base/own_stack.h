// SPDX-License-Identifier: BSD-3-Clause
// Stacks of our own, for code that needs more than a thread of the program may have left: to start a measurement takes
// some 20 KiB, to write an archive some 170 KiB, and a thread may have 16 KiB.
#ifndef EPIK_RUNTIME_BASE_OWN_STACK_H_
#define EPIK_RUNTIME_BASE_OWN_STACK_H_

#include <cstddef>

namespace epik::base {

// Calls the function with the stack pointer at `top`, on processors where we know how; else right here. The function
// may throw nothing, and must come back. No signal handler of the program may run meanwhile if it needs much stack.
void CallOnStack(char* top, void (*function)(void*), void* argument);

// The process has one stack for each purpose. Callers of kSetUp exclude each other by a lock of their own.
enum class OwnStack { kSetUp, kEnd };

// Reserves the stacks; once. Pages that nobody touches take no memory.
void ReserveOwnStacks();

// Calls the function on a stack that the process keeps for it. Calls it right here when no such stack exists, or when
// this thread has it already (a handler interrupted it). Waits for another thread that has it, though not for ever. No
// cancellation meanwhile, and floating-point numbers as in floats_apart.h.
void CallOnOwnStack(OwnStack which, void (*function)(void*), void* argument);

// In a forked child: the thread that had a stack does not exist.
void ForgetOwnStackOwners();

}  // namespace epik::base

#endif  // EPIK_RUNTIME_BASE_OWN_STACK_H_
