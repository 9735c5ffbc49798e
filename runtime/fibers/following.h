// SPDX-License-Identifier: BSD-3-Clause
// The stacks of one thread that switches between them. Moves the thread's frames when it switches.
#ifndef EPIK_RUNTIME_FIBERS_FOLLOWING_H_
#define EPIK_RUNTIME_FIBERS_FOLLOWING_H_

#include <atomic>
#include <cstdint>

#include "runtime/base/spinlock.h"
#include "runtime/event/layout.h"
#include "runtime/fibers/home.h"
#include "runtime/fibers/stack_table.h"

namespace epik::fibers {

// The state of one thread that has its location now.
struct Following {
  Following* next;
  event::Location* location;
  Range home;
  Range handlers;  // the alternate signal stack, as of the last look
  StackTable stacks;
  Stack* active;        // null: the thread is on its own stack
  uint32_t base;        // frames of the thread's own stack, below those of the active one
  uint64_t part_began;  // when the thread came to the active stack
};

// The state of the process.
struct Fibers {
  base::SpinLock lock;
  Following* first = nullptr;
  std::atomic<uint64_t> stacks{0};
  std::atomic<uint64_t> abandoned{0};  // calls
  std::atomic<uint64_t> given_up{0};   // stacks there was no room for
};
extern Fibers fibers;

inline uint32_t Depth(const event::Location* location) { return location->top - location->bottom; }
inline uint64_t Since(uint64_t entered, uint64_t now) { return now > entered ? now - entered : 0; }

// All of these REQUIRE: inside.

// Takes the frames of the active stack away and keeps them: the thread is on its own stack then.
void LeaveActive(Following* mine, uint64_t now);
// Puts the frames of the stack on top of what is open. The thread's own stack is the present one.
void ComeTo(Following* mine, Stack* stack, uint64_t place, bool enters, uint64_t now);
// Adds a stack on which no call was seen yet; null: no memory. The thread's own stack is the present one.
Stack* NewStack(Following* mine, uint64_t place, Range known);
// Ends the kept calls of the stack, which have not returned: the program never comes back to them.
void AbandonAll(Stack* stack);
// The same for calls of the active stack whose memory another call uses now: a fiber began anew.
void CloseDead(Following* mine, uint64_t place);

// If the outermost call of the active stack does not hang below the call that it is in now, the time of the part that
// ends now must not belong to that call, either.
void DisplacePart(const Following* mine, uint32_t node, uint32_t outer, uint64_t now);

}  // namespace epik::fibers

#endif  // EPIK_RUNTIME_FIBERS_FOLLOWING_H_
