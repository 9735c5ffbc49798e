// SPDX-License-Identifier: BSD-3-Clause
// Sample traces for tests and benchmarks: small workloads log words like the runtime, with the same clock.
#ifndef EPIK_ARCHIVE_TRACE_SAMPLE_WORDS_H_
#define EPIK_ARCHIVE_TRACE_SAMPLE_WORDS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/event/trace.h"

namespace epik::archive {

class WordLog {
 public:
  explicit WordLog(size_t room) { words_.reserve(room); }

  bool Full() const { return words_.size() + 256 > words_.capacity(); }
  const std::vector<uint64_t>& words() const { return words_; }
  // The call tree: the parent of each node; roots have the parent 0.
  const std::map<uint32_t, uint32_t>& parents() const { return parents_; }

  uint32_t Child(uint32_t parent, uint32_t function) {
    auto [it, made] = nodes_.try_emplace({parent, function}, next_);
    if (made) {
      parents_[next_] = parent;
      next_ += next_ % 1024 == 1023 ? 4097 : 1;  // chunks of other kinds and locations lie between
    }
    return it->second;
  }
  void Enter(uint32_t node) { Put(base::ReadTsc(), node); }
  void Exit() { Put(base::ReadTsc(), static_cast<uint32_t>(event::RecordKind::kExit)); }
  void Put(uint64_t time, uint32_t code) {
    if (event::HighTime(time) != high_) {
      high_ = event::HighTime(time);
      words_.push_back(event::TraceWord(time, static_cast<uint32_t>(event::RecordKind::kTime)));
      words_.push_back(time);
    }
    words_.push_back(event::TraceWord(time, code));
  }
  void Put(uint64_t time, event::RecordKind kind, const std::vector<uint64_t>& fields) {
    Put(time, static_cast<uint32_t>(kind));
    words_.insert(words_.end(), fields.begin(), fields.end());
  }

 private:
  std::vector<uint64_t> words_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> nodes_;
  std::map<uint32_t, uint32_t> parents_;
  uint32_t next_ = 300;
  uint64_t high_ = 0;
};

inline uint32_t NextRandom(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

inline void LogLeaf(WordLog* log) {
  const uint32_t root = log->Child(0, 1);
  const uint32_t leaf = log->Child(root, 2);
  log->Enter(root);
  while (!log->Full()) {
    log->Enter(leaf);
    log->Exit();
  }
  log->Exit();
}

inline void LogFib(WordLog* log, const std::vector<uint32_t>& path, unsigned depth, int n) {
  log->Enter(path[depth]);
  if (n > 1 && !log->Full()) {
    LogFib(log, path, depth + 1, n - 1);
    LogFib(log, path, depth + 1, n - 2);
  }
  log->Exit();
}
inline void LogFib(WordLog* log) {
  std::vector<uint32_t> path;
  for (int i = 0; i < 40; ++i) path.push_back(log->Child(path.empty() ? 0 : path.back(), 1));
  while (!log->Full()) LogFib(log, path, 0, 30);
}

inline void LogWide(WordLog* log) {
  const uint32_t root = log->Child(0, 1);
  std::vector<uint32_t> leaves;
  for (uint32_t i = 0; i < 300; ++i) leaves.push_back(log->Child(root, 2 + i));
  uint32_t random = 20061;
  log->Enter(root);
  while (!log->Full()) {
    log->Enter(leaves[NextRandom(&random) % 300]);
    log->Exit();
  }
  log->Exit();
}

inline void LogPaths(WordLog* log) {
  const uint32_t root = log->Child(0, 1);
  uint32_t random = 20061;
  const auto choose = [&](uint32_t parent, uint32_t n) { return log->Child(parent, NextRandom(&random) % n); };
  // Makes the nodes first, because a map is slower than the runtime's tables.
  std::vector<std::vector<std::vector<uint32_t>>> tree(2, std::vector<std::vector<uint32_t>>(301));
  for (uint32_t i = 0; i < 2000000; ++i) choose(choose(choose(root, 2), 300), 300);
  for (uint32_t top = 0; top < 2; ++top) {
    const uint32_t a = log->Child(root, top);
    for (uint32_t middle = 0; middle < 300; ++middle) {
      const uint32_t b = log->Child(a, middle);
      tree[top][middle].push_back(b);
      for (uint32_t low = 0; low < 300; ++low) tree[top][middle].push_back(log->Child(b, low));
    }
    tree[top][300].push_back(a);
  }
  log->Enter(root);
  while (!log->Full()) {
    auto& top = tree[NextRandom(&random) % 2];
    log->Enter(top[300][0]);
    for (int i = 0; i < 4; ++i) {
      auto& middle = top[NextRandom(&random) % 300];
      log->Enter(middle[0]);
      for (int j = 0; j < 4; ++j) {
        log->Enter(middle[1 + NextRandom(&random) % 300]);
        log->Exit();
      }
      log->Exit();
    }
    log->Exit();
  }
  log->Exit();
}

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_SAMPLE_WORDS_H_
