// SPDX-License-Identifier: BSD-3-Clause
// Computes a better tree for EPIK's own collective operations from the latencies of their links: processes that are
// near each other become one cluster, and messages enter each cluster once. Links that no message used are unknown;
// there it assumes that processes that are equally far away are near each other. The links of the next run show whether
// that was right. It tells from the longest way of each tree whether the new one is likely to be faster.
#ifndef EPIK_TOOLS_MONITOR_ADVICE_H_
#define EPIK_TOOLS_MONITOR_ADVICE_H_

#include <cstdint>
#include <string>
#include <vector>

namespace epik::monitor {

struct MeasuredLink {
  int32_t parent, child;
  double latency;  // seconds, there and back
};

struct Advice {
  std::vector<int32_t> parents;  // of all ranks, for config::WriteParents
  bool is_present = false;       // this is the tree that runs: all that was found has a longer way

  // The longest way from a leaf to the root, there and back, in seconds: now, and in the new tree. Processes that no
  // link joins are as far from each other as the farthest link on the way between them. If they are assumed to be near
  // each other, that is the most that the way takes, and the least is with that assumption.
  double now = 0, least = 0, most = 0;

  enum class Gain { kNone, kPerhaps, kLikely };
  Gain gain() const;
};

// False: *why says what is missing.
bool Advise(const std::vector<MeasuredLink>& links, uint32_t ranks, Advice* advice, std::string* why);

// "the longest way takes 2.10 ms there and back, 4.05 ms now"
std::string Compare(const Advice& advice);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_ADVICE_H_
