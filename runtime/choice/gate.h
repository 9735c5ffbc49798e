// SPDX-License-Identifier: BSD-3-Clause
// EPK_MEASURE: a thread is measured within its visits of some regions and pauses outside, and the whole process pauses
// outside of some spans of time. A pause is what `epk control` makes (pause.h).
//
// Visits are counted when they are entered, paused or not; those within others of the same region do not count. A
// window closes with the frame that opened it, however that is left. A thread that a measured one creates is measured
// to its end, and so are the threads of an OpenMP team whose leader is.
#ifndef EPIK_RUNTIME_CHOICE_GATE_H_
#define EPIK_RUNTIME_CHOICE_GATE_H_

#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// There are windows of regions.
extern bool has_gate;

// Where the window of the calling thread opened, as long as it is open.
struct Gate {
  uint32_t depth;    // frames, with that of the call that opened it
  uint32_t entered;  // while the thread pauses nevertheless: calls entered since, with that one
  uint32_t skips;    // calls that come now were counted when they came first
  bool IsOpen() const { return depth != 0 || entered != 0; }
};
extern __thread Gate gate;

// A visit of whatever it is a visit of, below that node and the calls entered since. True: it opens a window.
template <class Entered>
bool CountVisit(event::Key key, uint32_t node, const Entered* entered, uint32_t count);

inline uint32_t DepthOfFrames(const event::Location* location) { return location->top - location->bottom; }

// The clock says that threads pause, or go on: at any event.
void LookAtClock();

extern const Part gate_part;

// Whether the key is that of a window, and which of them its call paths lie in.
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

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_GATE_H_
