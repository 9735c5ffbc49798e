// SPDX-License-Identifier: BSD-3-Clause
// A communicator as the calling process has it.
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
