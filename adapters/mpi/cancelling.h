// SPDX-License-Identifier: BSD-3-Clause
// Sends that are cancelled are no sends, but hardly any is: so the latest are noted where that costs a few stores, and
// remembered as requests only when the program does cancel one.
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

// Handles that are numbers follow each other: as many as there are slots have one each. Threads may meet in a slot:
// then one of the two is not noted.
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

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CANCELLING_H_
