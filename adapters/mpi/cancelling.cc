// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/cancelling.h"

namespace epik::mpi {

RecentSend recent_sends[kRecentSends];

namespace {

// The place of a send whose slot another send has taken.
constexpr uint64_t kForgotten = ~uint64_t{0};

bool FindSend(uint64_t key, Request* request) {
  const RecentSend& slot = recent_sends[key % kRecentSends];
  if (__atomic_load_n(&slot.key, __ATOMIC_ACQUIRE) != key) return false;
  *request = {.key = key, .kind = Kind::kSend};
  request->out = __atomic_load_n(&slot.bytes, __ATOMIC_RELAXED);
  request->place = __atomic_load_n(&slot.place, __ATOMIC_RELAXED);
  request->peer = static_cast<int32_t>(__atomic_load_n(&slot.peer, __ATOMIC_ACQUIRE));
  return __atomic_load_n(&slot.key, __ATOMIC_RELAXED) == key;
}

}  // namespace

void Cancelling(uint64_t key) {
  if (!kCancelsSends || key == 0) return;
  Request request, known;
  if (!FindSend(key, &request)) return RememberUnknown({.key = key, .place = kForgotten, .kind = Kind::kSend});
  // The trace and its receiver still follow this request. If the handle now belongs to another kind of request, the
  // slot belongs to that one.
  if (FindActive(key, &known)) {
    if (known.kind != Kind::kSend) return;
    request.number = known.number;
    request.followed = known.followed;
  }
  Remember(request);
}

void TakeBack(const Request& request) {
  if (request.place != kForgotten) return epik_adapter_unsent(request.place, request.out, request.peer);
  static bool told = false;
  if (__atomic_exchange_n(&told, true, __ATOMIC_RELAXED)) return;
  epik_adapter_note("a send that was cancelled counts as sent: EPIK knows the latest 1024 sends of a process");
}

}  // namespace epik::mpi
