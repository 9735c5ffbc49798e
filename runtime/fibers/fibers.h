// SPDX-License-Identifier: BSD-3-Clause
// Programs that switch stacks by themselves: swapcontext, Boost.Context, a few lines of assembler.
//
// A thread's frames are those of the stack that it was created with and, above them, those of at most one other stack:
// the one it is on now. When the thread leaves that stack, its frames are taken away and kept, and when the thread
// comes back, they are put on top of what is open by then. Their call paths do not change. So a resumed fiber counts,
// like a function that is called, within the call that resumes it; if it began elsewhere, its time is displaced
// (runtime/episode/displaced.h). Time in which a fiber is suspended is in none of its calls.
//
// Hooks do not look at stacks until the first switch is noticed. A switch is noticed when a new call path begins, or an
// exit does not match, and the call is on another machine stack than its caller. The first call on any stack is on a
// new call path. From then on, each event of the process looks at its stack.
#ifndef EPIK_RUNTIME_FIBERS_FIBERS_H_
#define EPIK_RUNTIME_FIBERS_FIBERS_H_

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"
#include "runtime/fibers/home.h"

namespace epik::fibers {

// The program is about to switch to the stack with this address; `bounds` are those of the stack, if they are known.
// Not inside.
void SwitchStack(uint64_t stack, Range bounds);

extern const episode::Part fibers_part;

}  // namespace epik::fibers

#endif  // EPIK_RUNTIME_FIBERS_FIBERS_H_
