// SPDX-License-Identifier: BSD-3-Clause
// The latest collective calls of a thread, in its arena: a ring in which the oldest are overwritten. Its thread writes
// it while other processes read it: monitors, and processes for which the thread waited (docs/formats.md).
#ifndef EPIK_RUNTIME_EVENT_COLLECTIVES_H_
#define EPIK_RUNTIME_EVENT_COLLECTIVES_H_

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "runtime/event/control.h"
#include "runtime/event/layout.h"
#include "runtime/event/words.h"

namespace epik::event {

// One blocking call on an intracommunicator or between groups, of more than one process, that did what it should; or
// MPI_Finalize, which is noted before it comes back.
struct CollectiveEvent {
  uint64_t entered;       // ticks
  uint64_t left;          // kNotBack: the call has not returned
  uint32_t node;          // of the call
  uint32_t communicator;  // number in this process
  uint32_t sequence;      // position among the communicator's operations, from 1: the same in all its processes
  uint32_t about;         // root and data: below
};
static_assert(sizeof(CollectiveEvent) == 32);

inline constexpr uint64_t kNotBack = 1;
constexpr bool IsBack(const CollectiveEvent& event) { return event.left != kNotBack; }

inline constexpr uint32_t kGivesBit = 1u << 31;
inline constexpr uint32_t kGetsBit = 1u << 30;
inline constexpr uint32_t kLinkBit = 1u << 29;
inline constexpr uint32_t kStepBit = 1u << 28;
inline constexpr uint32_t kSomeBit = 1u << 27;  // it gets data of some processes only, and waits for them alone
constexpr uint32_t AboutCollective(int32_t root, bool gives, bool gets, bool of_some = false) {
  return (root < 0 ? 0 : static_cast<uint32_t>(root) + 1) | (gives ? kGivesBit : 0) | (gets ? kGetsBit : 0) |
         (of_some ? kSomeBit : 0);
}
constexpr bool Gives(const CollectiveEvent& event) { return (event.about & kGivesBit) != 0; }
constexpr bool Gets(const CollectiveEvent& event) { return (event.about & kGetsBit) != 0; }
constexpr bool GetsOfSome(const CollectiveEvent& event) { return (event.about & kSomeBit) != 0; }
// Rank of the root in MPI_COMM_WORLD; negative: the operation has no root. For a link: the process at its other end.
constexpr int32_t RootOf(const CollectiveEvent& event) {
  return static_cast<int32_t>(event.about & (kSomeBit - 1)) - 1;
}

// The event is no call: it tells the times of one link of a tree in the call that is noted next (EPK_COLL_TREE). For
// the link to the parent, `entered` is when the contribution was sent, `left` when the result arrived. For a link to a
// child, `entered` is when the contribution arrived, `left` when the result was sent. 0: nothing went that way.
constexpr uint32_t AboutLink(int32_t peer, bool is_up) { return AboutCollective(peer, is_up, false) | kLinkBit; }
constexpr bool IsLink(const CollectiveEvent& event) { return (event.about & kLinkBit) != 0; }
constexpr bool IsUp(const CollectiveEvent& link) { return Gives(link); }

// The event is neither a call nor a link: it is a step of a message, or of an operation that one call begins and
// another completes (EPK_WAITS, and EPK_MONITOR=p2p; kBegun also stands between the calls of EPK_MONITOR=coll). For a
// message, `left` is its channel, a number that both ends compute, and `sequence` is its position in the channel. For
// an operation, `left` is the region of the call that began it; for a persistent one, `sequence` is no number on its
// communicator, but made from those of its `_init` and its start.
enum class Step : uint32_t {
  kSent = 1,        // in the call that was entered then
  kReceived = 2,    // the same
  kArrived = 3,     // the receive was posted in a call that was entered then; the next kCall completes it
  kLeft = 4,        // a send is complete that may have waited for its receive; the next kCall completes it
  kBegun = 5,       // a non-blocking or persistent operation
  kEnded = 6,       // the same; the next kCall completes it
  kCall = 7,        // a call has waited for all that was complete since the kCall before
  kTest = 8,        // nobody has waited for them
  kTeamBarrier = 9  // a barrier of OpenMP, from `entered` until `left`
};
inline constexpr uint32_t kSynchronousStep = 1u << 4;  // the send waits until it is received
inline constexpr uint32_t kUncertainStep = 1u << 5;    // which message it was is not known
inline constexpr uint32_t kProbedStep = 1u << 6;       // kReceived: a probe saw the message; its receive follows
inline constexpr uint32_t kAfterProbeStep = 1u << 7;   // the receive of such a message
inline constexpr uint32_t kRootStep = 1u << 8;         // this process is the root of the operation
inline constexpr uint32_t kUntimedStep = 1u << 9;      // kArrived: when the receive was posted is not known
// kReceived, kArrived: a probe took the message out of its channel, so any thread may receive it at any time. With
// kProbedStep, this step is the probe.
inline constexpr uint32_t kMatchedStep = 1u << 10;
// kSent, kLeft: the send may wait until it is received, or not. Then kLeft has the bytes of the message in `entered`,
// and the rank of its receiver in MPI_COMM_WORLD in `communicator`.
inline constexpr uint32_t kStandardStep = 1u << 11;
// A step with kProbedStep has the length of the probe in `communicator`, in units of this many ticks, rounded up; 0:
// not known.
inline constexpr uint64_t kTicksOfLength = 1024;
constexpr uint32_t LengthOf(uint64_t ticks) {
  const uint64_t length = ticks / kTicksOfLength + 1;
  return length < ~uint32_t{0} ? static_cast<uint32_t>(length) : 0;
}
// A receive has in `communicator` for how long its process had communicated in no call of MPI when it was posted
// (kArrived, and kReceived without kProbedStep). Probes, which have a bit of their own, and calls that only begin
// something do not count. Long times are rounded down; 0: not known.
inline constexpr uint32_t kLongAbsence = 1u << 31;
inline constexpr uint32_t kProbedAbsence = 1u << 30;
inline constexpr uint32_t kAbsenceMask = kProbedAbsence - 1;
inline constexpr uint32_t kLongAbsenceShift = 20;
constexpr uint32_t AbsenceOf(uint64_t ticks, bool probed) {
  const uint32_t flags = probed ? kProbedAbsence : 0;
  if (ticks < kAbsenceMask) return flags | (static_cast<uint32_t>(ticks) + 1);
  return flags | kLongAbsence | static_cast<uint32_t>(std::min<uint64_t>(ticks >> kLongAbsenceShift, kAbsenceMask));
}
constexpr uint64_t TicksOfAbsence(uint32_t absence) {
  const uint64_t told = absence & kAbsenceMask;
  return (absence & kLongAbsence) != 0 ? told << kLongAbsenceShift : told - 1;
}
// The sequences of persistent operations begin here. Those of other operations do not get so high.
inline constexpr uint32_t kFirstPersistent = 1u << 31;
constexpr bool IsStep(const CollectiveEvent& event) { return (event.about & kStepBit) != 0; }
constexpr Step StepOf(const CollectiveEvent& event) { return Step{event.about & 15}; }
// Another call completes the operation: nobody waits in this one.
constexpr bool IsBegun(const CollectiveEvent& event) { return IsStep(event) && StepOf(event) == Step::kBegun; }
constexpr bool Has(const CollectiveEvent& step, uint32_t flag) { return (step.about & flag) != 0; }
// Whether it ends its call, so that no other step of the call follows.
constexpr bool EndsCall(const CollectiveEvent& step) {
  switch (StepOf(step)) {
    case Step::kArrived:
    case Step::kLeft:
    case Step::kEnded:
    case Step::kCall: return false;
    case Step::kSent: return !Has(step, kStandardStep);
    default: return true;
  }
}
// Whether its call waits, as far as the step tells.
constexpr bool MayWait(const CollectiveEvent& step) {
  const bool answered = StepOf(step) == Step::kSent && Has(step, kSynchronousStep) && Gets(step);
  return answered || StepOf(step) == Step::kReceived || StepOf(step) == Step::kCall;
}

// The second line of the chunk; the events follow.
struct CollectiveRing {
  uint64_t written;   // so far; event n lies at n modulo `capacity`
  uint32_t capacity;  // a power of two
  uint32_t waits;     // 0: waiting times are not wanted (EPK_WAITS)
  uint64_t settled;   // events whose waiting time is known, or known to be lost
  uint64_t due;       // private: when `written` reaches this, there is work to do
  uint64_t state;     // private: address of the thread's own state
  // Private: like `due`, for statistics; and the time from which there is work whatever was written.
  uint64_t statistics_due;
  uint64_t due_ticks;
  uint32_t statistics;  // line of the first chunk of them (runtime/event/statistics.h); 0: none
  uint32_t reserved;
};
static_assert(sizeof(CollectiveRing) == base::kLineBytes);

// Stands in place of a ring's line if there was no room for a ring.
inline constexpr uint32_t kNoRing = ~uint32_t{0};
inline bool HasRing(const Location* location) { return location->collectives != 0 && location->collectives != kNoRing; }

inline constexpr uint32_t kEventsOfLine = base::kLineBytes / sizeof(CollectiveEvent);
inline constexpr uint64_t kSmallestRing = 64;  // events

// A ring that another process may be writing.
class RingView {
 public:
  RingView() = default;
  // Views the ring at a place in `arena`. There is none if the place holds no valid ring.
  RingView(const MappedArena& arena, const Location* location)
      : RingView(arena, __atomic_load_n(&location->collectives, __ATOMIC_ACQUIRE)) {}
  RingView(const MappedArena& arena, uint32_t chunk_line) {
    const uint64_t lines = arena.bytes / base::kLineBytes;
    if (chunk_line == 0 || uint64_t{chunk_line} + 2 > lines) return;
    const char* at = arena.base + uint64_t{chunk_line} * base::kLineBytes;
    const auto* chunk = reinterpret_cast<const base::ChunkHeader*>(at);
    const auto* ring = reinterpret_cast<const CollectiveRing*>(at + base::kLineBytes);
    const uint64_t capacity = ring->capacity;
    const bool whole = chunk->kind == base::ChunkKind::kCollectives && uint64_t{chunk_line} + chunk->lines <= lines &&
                       capacity != 0 && (capacity & (capacity - 1)) == 0 &&
                       2 + capacity / kEventsOfLine <= chunk->lines;
    if (!whole) return;
    ring_ = ring;
    events_ = reinterpret_cast<const CollectiveEvent*>(at + 2 * base::kLineBytes);
    capacity_ = capacity;
  }

  bool IsThere() const { return ring_ != nullptr; }
  uint64_t capacity() const { return capacity_; }
  uint64_t Written() const { return __atomic_load_n(&ring_->written, __ATOMIC_ACQUIRE); }

  // The same, for calls, links, and operations that have begun.
  template <class Take>
  uint64_t Read(uint64_t* next, Take take) const {
    return ReadAll(next, [&](uint64_t number, const CollectiveEvent& event) {
      return IsStep(event) && !IsBegun(event) ? true : static_cast<bool>(take(number, event));
    });
  }

  // Calls take(number, event) for the events from *next on that are there, in order, and moves *next behind the last;
  // or to the one for which it returned false. Returns how many had been overwritten before they could be read.
  template <class Take>
  uint64_t ReadAll(uint64_t* next, Take take) const {
    const uint64_t written = Written();
    uint64_t lost = 0;
    if (written < *next) *next = written;  // damage
    if (written - *next > capacity_) lost = Skip(next, written - capacity_);
    while (*next < written) {
      CollectiveEvent block[kBlock];
      const uint64_t count = std::min<uint64_t>(kBlock, written - *next);
      for (uint64_t i = 0; i < count; ++i) LoadWords(&events_[(*next + i) & (capacity_ - 1)], &block[i]);
      // The event that is being written now overwrites the oldest.
      const uint64_t now = Written();
      const uint64_t oldest = now >= capacity_ ? now - capacity_ + 1 : 0;
      const uint64_t begin = *next;
      if (oldest > begin) lost += Skip(next, std::min(oldest, begin + count));
      for (; *next < begin + count; ++*next) {
        if (!take(*next, block[*next - begin])) return lost;
      }
    }
    return lost;
  }

 private:
  static constexpr uint64_t kBlock = 64;

  static uint64_t Skip(uint64_t* next, uint64_t to) {
    const uint64_t lost = to - *next;
    *next = to;
    return lost;
  }

  const CollectiveRing* ring_ = nullptr;
  const CollectiveEvent* events_ = nullptr;
  uint64_t capacity_ = 0;
};

}  // namespace epik::event

#endif  // EPIK_RUNTIME_EVENT_COLLECTIVES_H_
