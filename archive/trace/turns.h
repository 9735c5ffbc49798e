// SPDX-License-Identifier: BSD-3-Clause
// The turn of a message is its number in its channel: the messages from one process to another with the same
// communicator and tag. As long as the trace of a process has all messages, their order tells it. From the first gap
// on, records tell it.
#ifndef EPIK_ARCHIVE_TRACE_TURNS_H_
#define EPIK_ARCHIVE_TRACE_TURNS_H_

#include <cstdint>

#include "archive/trace/event.h"

namespace epik::archive {

inline constexpr uint64_t kByOrder = ~uint64_t{0};   // not known, and nothing but the order tells which message it is
inline constexpr uint64_t kNextTurn = kByOrder - 1;  // the next one, when the receive is taken
inline constexpr uint64_t kUnknownTurn = 0;
// With this bit, a record tells the number since the first gap.
inline constexpr uint64_t kSinceGap = uint64_t{1} << 62;

// From here on, the record tells of a persistent operation: the number of its `_init` << 32, plus that of its start.
inline constexpr uint64_t kFirstPersistent = uint64_t{1} << 32;
constexpr bool IsOfPersistent(uint64_t turn) { return turn >= kFirstPersistent && turn < kSinceGap; }

constexpr bool HasTurn(uint64_t turn) { return turn != kByOrder && turn != kNextTurn && turn != kUnknownTurn; }

// The turn that a record Turn or TurnSince tells.
inline uint64_t ToldBy(const Event& event) {
  const uint64_t number = event.field[0] < kSinceGap ? event.field[0] : kUnknownTurn;
  return event.kind == event::RecordKind::kTurnSince && number != 0 ? number | kSinceGap : number;
}

// How long the trace of a process has had all messages.
enum class Whole : uint8_t { kNever, kUntilGap, kSoFar };

// The turn that was told, if the trace has had `before` messages until the first gap.
constexpr uint64_t TurnAfter(uint64_t before, uint64_t told, Whole whole) {
  if ((told & kSinceGap) == 0) return told;
  return whole == Whole::kNever ? kUnknownTurn : before + (told ^ kSinceGap);
}

// The messages of a channel at one of its ends.
struct ChannelEnd {
  uint64_t by_order = 0;  // until the first record that tells a turn
  bool tells = false;

  // The turn of the next message. `told`: by its record; kByOrder if it tells none.
  uint64_t TurnOf(uint64_t told, Whole whole) const {
    if (told != kByOrder) return TurnAfter(by_order, told, whole);
    if (tells) return kUnknownTurn;  // the record has lost it
    return whole == Whole::kSoFar ? kNextTurn : kByOrder;
  }
  uint64_t Next() { return ++by_order; }
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_TURNS_H_
