// SPDX-License-Identifier: BSD-3-Clause
// The calling process's view of a communicator.
#ifndef EPIK_RUNTIME_MONITOR_MEMBERSHIP_H_
#define EPIK_RUNTIME_MONITOR_MEMBERSHIP_H_

#include <cstdint>

namespace epik::monitor {

struct Membership {
  uint64_t id = 0;
  int32_t rank = 0;   // own
  uint32_t size = 0;  // 0: not known
  bool is_inter = false;
};

}  // namespace epik::monitor

#endif  // EPIK_RUNTIME_MONITOR_MEMBERSHIP_H_
