// SPDX-License-Identifier: BSD-3-Clause
// Computes a better tree for EPIK's own collective operations from the latencies of their links: processes that are
// near each other become one cluster, and messages enter each cluster once. Links that no message used are unknown;
// there it assumes that processes that are equally far away are near each other. The links of the next run show whether
// that was right.
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

// The parents of all ranks, for config::WriteParents. False: *why says what is missing.
bool Advise(const std::vector<MeasuredLink>& links, uint32_t ranks, std::vector<int32_t>* parents, std::string* why);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_ADVICE_H_
