// SPDX-License-Identifier: BSD-3-Clause
// The stacks that one thread has switched to, found by address. Of a stack we know the addresses of its calls. We know
// its bounds only if the program told them (makecontext).
#ifndef EPIK_RUNTIME_FIBERS_STACK_TABLE_H_
#define EPIK_RUNTIME_FIBERS_STACK_TABLE_H_

#include <cstddef>
#include <cstdint>

#include "runtime/event/layout.h"
#include "runtime/fibers/home.h"

namespace epik::fibers {

// An open call on a stack that is suspended.
struct KeptFrame {
  event::Key key;
  uint64_t stack;
  uint64_t ticks;  // so far; for a call that is not timed: its frame's `entered`
  uint32_t node;
  bool timed;
};

struct Stack {
  uint64_t number;  // in traces
  uint64_t high;    // the outermost address that was seen
  Range known;      // its bounds, where they are known
  KeptFrame* kept;  // while it is suspended, outermost first
  uint32_t count;
  uint32_t room;

  // Room for that many frames. False: no memory.
  bool Reserve(uint32_t frames);
};

// An uninstrumented call between two measured ones may need this much of a stack whose bounds are not known. The
// smallest stacks that threads may have are twice as large.
inline constexpr uint64_t kNear = 8u << 10;
inline constexpr uint32_t kMostStacks = 1u << 16;

class StackTable {
 public:
  // The stack that the address is on, or null. `innermost` is the address of the innermost call of the active stack.
  Stack* Find(uint64_t address, const Stack* active, uint64_t innermost);
  // Null: no memory, or the table is full.
  Stack* Add(uint64_t address, Range known);
  // Returns a stack that has an address in the range, or null. Its memory has become another stack.
  Stack* Overlapping(Range range) const;
  // Returns a suspended stack that has not been used for a while, or null.
  Stack* Victim(const Stack* active);
  void Remove(Stack* stack);
  void Clear();

  uint32_t count() const { return count_; }
  Stack* At(uint32_t index) const { return entries_[index].stack; }

 private:
  struct Entry {
    uint64_t high;
    Stack* stack;
  };
  uint32_t FirstNotBelow(uint64_t address) const;
  bool Grow();

  Entry* entries_ = nullptr;  // by `high`
  uint32_t count_ = 0;
  uint32_t room_ = 0;
  uint32_t hand_ = 0;
};

}  // namespace epik::fibers

#endif  // EPIK_RUNTIME_FIBERS_STACK_TABLE_H_
