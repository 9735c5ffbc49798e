// SPDX-License-Identifier: BSD-3-Clause
// EPK_MEASURE: a thread is measured within its visits of some regions and pauses outside, and the whole process pauses
// outside of some spans of time. The pause is the same as that of `epk control` (pause.h).
//
// Visits are counted when they are entered, paused or not; visits within others of the same region do not count. A
// window closes with the frame that opened it, however the frame ends. A thread that a measured thread creates is
// measured to its end, and so are the threads of an OpenMP team whose leader is measured.
#ifndef EPIK_RUNTIME_CHOICE_GATE_H_
#define EPIK_RUNTIME_CHOICE_GATE_H_

#include "runtime/base/thread_memory.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

// True if EPK_MEASURE has windows of regions.
extern bool has_gate;

// The window that is open on the calling thread.
struct Gate {
  uint32_t depth;    // frames, with that of the call that opened it
  uint32_t entered;  // while the thread pauses within the window: calls entered since, with that one
  uint32_t skips;    // these calls come for the second time and were counted at the first
  bool IsOpen() const { return depth != 0 || entered != 0; }
};
extern base::PerThread<Gate> gate;

// A visit of any region, below that node and the calls entered since. True: it opens a window.
template <class Entered>
bool CountVisit(event::Key key, uint32_t node, const Entered* entered, uint32_t count);

inline uint32_t DepthOfFrames(const event::Location* location) { return location->top - location->bottom; }

// Called at every event while spans are left: begins or ends a span when its time has come.
void LookAtClock();

extern const episode::Part gate_part;

// The windows whose region the key is, as bits.
uint32_t WindowsOf(event::Key key);
bool CountInWindow(uint32_t window);

template <class Entered>
bool CountVisit(event::Key key, uint32_t node, const Entered* entered, uint32_t count) {
  uint32_t windows = WindowsOf(key);
  for (uint32_t i = 0; i < count && windows != 0; ++i) windows &= ~WindowsOf(entered[i].key);
  for (; node != 0 && windows != 0; node = event::NodeAt(node)->parent) windows &= ~WindowsOf(event::NodeAt(node)->key);
  bool opens = false;
  for (uint32_t i = 0; windows != 0; ++i, windows >>= 1) {
    if ((windows & 1) != 0) opens = CountInWindow(i) || opens;
  }
  return opens;
}

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_GATE_H_
