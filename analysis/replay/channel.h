// SPDX-License-Identifier: BSD-3-Clause
// Messages from one process to another with the same communicator and tag.
#ifndef EPIK_ANALYSIS_REPLAY_CHANNEL_H_
#define EPIK_ANALYSIS_REPLAY_CHANNEL_H_

#include <cstdint>

#include "analysis/replay/flat_map.h"
#include "analysis/replay/world.h"

namespace epik::replay {

// Tells which message or operation a record belongs to (RecordKind::kTurn), if the trace tells more than their order.
inline constexpr uint64_t kByOrder = ~uint64_t{0};
inline constexpr uint64_t kUnknownTurn = 0;

struct ChannelKey {
  uint32_t communicator, from, to;
  int32_t tag;
  bool operator==(const ChannelKey&) const = default;
};
inline uint64_t HashOf(const ChannelKey& key) {
  return Mix((uint64_t{key.from} << 32 | key.to) * 0xff51afd7ed558ccdull +
             (uint64_t{key.communicator} << 32 | static_cast<uint32_t>(key.tag)));
}

// Messages that do not overtake each other: one of the two lists is empty, unless messages have turns.
struct Channel {
  uint32_t first_send = kNone, last_send = kNone;
  uint32_t first_receive = kNone, last_receive = kNone;
  uint32_t waiters = kNone;  // locations, by next_waiter
  uint64_t last_turn = 0;    // of the messages that were sent
  bool has_turns = false;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_CHANNEL_H_
