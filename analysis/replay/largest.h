// SPDX-License-Identifier: BSD-3-Clause
// Remembers how large a message was of which something is known that holds for smaller ones, too: for two threads, and
// for the mode of their sends.
#ifndef EPIK_ANALYSIS_REPLAY_LARGEST_H_
#define EPIK_ANALYSIS_REPLAY_LARGEST_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/flat_map.h"

namespace epik::replay {

class Largest {
 public:
  void Add(const Message& message) {
    uint32_t* number = number_of_.FindOrAdd(KeyOf(message), static_cast<uint32_t>(bytes_.size()));
    if (*number == bytes_.size()) bytes_.push_back(0);
    bytes_[*number] = std::max(bytes_[*number], message.bytes);
  }
  bool Contains(const Message& message) const {
    const uint32_t number = number_of_.Find(KeyOf(message));
    return number != FlatMap<Key>::kMissing && message.bytes <= bytes_[number];
  }

 private:
  struct Key {
    uint64_t threads;
    Mode mode;
    bool operator==(const Key&) const = default;
    friend uint64_t HashOf(const Key& key) { return Mix(key.threads * 4 + static_cast<uint64_t>(key.mode)); }
  };
  static Key KeyOf(const Message& message) {
    return {uint64_t{message.send.location} << 32 | message.receive.location, message.send_operation.mode};
  }

  FlatMap<Key> number_of_;
  std::vector<uint64_t> bytes_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_LARGEST_H_
