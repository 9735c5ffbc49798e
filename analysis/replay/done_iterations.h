// SPDX-License-Identifier: BSD-3-Clause
// Iterations of DOACROSS loops that threads have finished. Old ones are forgotten, because nobody waits for them.
#ifndef EPIK_ANALYSIS_REPLAY_DONE_ITERATIONS_H_
#define EPIK_ANALYSIS_REPLAY_DONE_ITERATIONS_H_

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "analysis/replay/world.h"

namespace epik::replay {

struct Iterations {
  struct Done {
    uint32_t location = kNone, path = kNone;
    int64_t since = 0, ns = 0;  // the thread worked on it from when until when
  };
  static constexpr size_t kMost = 1 << 16;
  std::unordered_map<uint64_t, Done> young, old;

  void Add(uint64_t key, const Done& done) {
    if (young.size() == kMost) {
      old.swap(young);
      young.clear();
    }
    young[key] = done;
  }
  const Done* Find(uint64_t key) const {
    for (const auto* all : {&young, &old}) {
      if (const auto found = all->find(key); found != all->end()) return &found->second;
    }
    return nullptr;
  }
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_DONE_ITERATIONS_H_
