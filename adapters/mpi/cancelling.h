// SPDX-License-Identifier: BSD-3-Clause
// A cancelled send must not count, but programs hardly ever cancel one. So the latest sends are noted with a few
// stores, and become remembered requests only when the program cancels one.
#ifndef EPIK_ADAPTERS_MPI_CANCELLING_H_
#define EPIK_ADAPTERS_MPI_CANCELLING_H_

#include <cstdint>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/hash_table.h"
#include "adapters/mpi/requests.h"
#include "flavour.h"

namespace epik::mpi {

struct RecentSend {
  uint64_t key;
  uint64_t bytes;
  uint64_t place;
  int64_t peer;
};
inline constexpr uint64_t kRecentSends = 1024;
extern RecentSend recent_sends[kRecentSends];

// Handles that are numbers follow each other, so as many handles as there are slots have a slot each. If two threads
// use one slot at once, one of the two sends is not noted.
EPIK_HOT void NoteSend(const Call& call, uint64_t key) {
  if constexpr (kCancelsSends) {
    RecentSend& slot = recent_sends[key % kRecentSends];
    __atomic_store_n(&slot.key, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.bytes, call.bytes, __ATOMIC_RELEASE);
    __atomic_store_n(&slot.place, call.place, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.peer, call.peer, __ATOMIC_RELAXED);
    __atomic_store_n(&slot.key, key, __ATOMIC_RELEASE);
  }
}

// The program is about to cancel this request.
EPIK_COLD void Cancelling(uint64_t key);
// The send was cancelled: takes its bytes back. REQUIRES: it has a place.
EPIK_COLD void TakeBack(const Request& request);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CANCELLING_H_
