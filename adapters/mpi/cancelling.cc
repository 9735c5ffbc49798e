// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/cancelling.h"

namespace epik::mpi {

RecentSend recent_sends[kRecentSends];

void Cancelling(uint64_t key) {
  const RecentSend& slot = recent_sends[key % kRecentSends];
  if (!kCancelsSends || key == 0 || __atomic_load_n(&slot.key, __ATOMIC_ACQUIRE) != key) return;
  Request request = {.key = key, .kind = Kind::kSend};
  request.out = __atomic_load_n(&slot.bytes, __ATOMIC_RELAXED);
  request.place = __atomic_load_n(&slot.place, __ATOMIC_RELAXED);
  request.peer = static_cast<int32_t>(__atomic_load_n(&slot.peer, __ATOMIC_ACQUIRE));
  if (__atomic_load_n(&slot.key, __ATOMIC_RELAXED) != key) return;
  Request known;
  // The trace still follows this request. If the handle now belongs to another kind of request, the slot is not its.
  if (FindActive(key, &known)) {
    if (known.kind != Kind::kSend) return;
    request.number = known.number;
  }
  Remember(request);
}

}  // namespace epik::mpi
