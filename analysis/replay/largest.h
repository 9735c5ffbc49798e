// SPDX-License-Identifier: BSD-3-Clause
// Remembers the largest transfer with some property that smaller ones have, too: from one thread to another, and of one
// kind.
#ifndef EPIK_ANALYSIS_REPLAY_LARGEST_H_
#define EPIK_ANALYSIS_REPLAY_LARGEST_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/flat_map.h"

namespace epik::replay {

struct Transfer {
  uint32_t from = kNone, to = kNone;  // locations; rendezvous.h has a process in `to`
  Role role = Role::kSend;            // or the role of a collective operation
  Mode mode = Mode::kStandard;
  uint64_t bytes = 0;
  int32_t root = -1;  // of a collective operation
};
inline Transfer TransferOf(const Message& message) {
  return {message.send.location, message.receive.location, Role::kSend, message.send_operation.mode, message.bytes};
}

class Largest {
 public:
  // Forgets transfers between further threads when there are very many.
  void Add(const Transfer& transfer) {
    const Key key = KeyOf(transfer);
    uint32_t number = number_of_.Find(key);
    if (number == FlatMap<Key>::kMissing) {
      if (bytes_.size() == kMost) return;
      number = *number_of_.FindOrAdd(key, static_cast<uint32_t>(bytes_.size()));
      bytes_.push_back(0);
    }
    bytes_[number] = std::max(bytes_[number], transfer.bytes);
  }
  bool Contains(const Transfer& transfer) const {
    const uint32_t number = number_of_.Find(KeyOf(transfer));
    return number != FlatMap<Key>::kMissing && transfer.bytes <= bytes_[number];
  }

 private:
  static constexpr size_t kMost = 1u << 20;  // pairs of threads, for each kind of transfer and each root

  struct Key {
    uint64_t threads, kind;
    bool operator==(const Key&) const = default;
    friend uint64_t HashOf(const Key& key) { return Mix(key.threads * 0x9e3779b97f4a7c15ull + key.kind); }
  };
  static Key KeyOf(const Transfer& transfer) {
    return {uint64_t{transfer.from} << 32 | transfer.to, uint64_t{static_cast<uint32_t>(transfer.root)} << 16 |
                                                             uint64_t{static_cast<uint8_t>(transfer.role)} << 8 |
                                                             static_cast<uint8_t>(transfer.mode)};
  }

  FlatMap<Key> number_of_;
  std::vector<uint64_t> bytes_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_LARGEST_H_
