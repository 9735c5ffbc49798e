// SPDX-License-Identifier: BSD-3-Clause
// Messages from one process to another with the same communicator and tag.
#ifndef EPIK_ANALYSIS_REPLAY_CHANNEL_H_
#define EPIK_ANALYSIS_REPLAY_CHANNEL_H_

#include <cstdint>

#include "analysis/replay/flat_map.h"
#include "analysis/replay/world.h"
#include "archive/trace/turns.h"

namespace epik::replay {

using archive::ChannelEnd;
using archive::HasTurn;
using archive::kByOrder;
using archive::kNextTurn;
using archive::kUnknownTurn;
using archive::Whole;

struct ChannelKey {
  uint32_t communicator, from, to;
  int32_t tag;
  bool operator==(const ChannelKey&) const = default;
};
inline uint64_t HashOf(const ChannelKey& key) {
  return Mix((uint64_t{key.from} << 32 | key.to) * 0xff51afd7ed558ccdull +
             (uint64_t{key.communicator} << 32 | static_cast<uint32_t>(key.tag)));
}

// Messages that do not overtake each other: one of the two lists is empty, unless a trace has gaps.
struct Channel {
  uint32_t first_send = kNone, last_send = kNone;
  uint32_t first_receive = kNone, last_receive = kNone;
  uint32_t waiters = kNone;  // locations, by next_waiter
  uint64_t last_turn = 0;    // of the messages that were sent
  ChannelEnd sends, receives;

  // Nothing would be lost with the channel.
  bool IsUnused() const {
    const bool is_empty = first_send == kNone && first_receive == kNone && waiters == kNone;
    const bool tells = sends.tells || receives.tells;
    return is_empty && sends.by_order == receives.by_order && (!tells || sends.by_order == 0);
  }
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_CHANNEL_H_
