// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/freed.h"

#include <algorithm>

#include "adapters/abi/abi.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/counting.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

uint32_t kept_requests = 0;

namespace {

constexpr uint32_t kMostKept = 256;
constexpr uint32_t kLooks = 16;  // at a time

struct Kept {
  MPI_Request handle;
  Comm* comm;
  uint32_t comm_number;
  uint64_t number;  // in the trace; 0: it is not logged
  bool is_followed;
  PostedReceive posted;
};

struct AllKept {
  base::SpinLock lock;
  Kept requests[kMostKept];
  uint32_t next;  // to be looked at
};
constinit AllKept kept = {};

bool Add(const Kept& request) {
  const base::Locked lock(kept.lock);
  if (kept_requests == kMostKept) return false;
  kept.requests[kept_requests] = request;
  __atomic_store_n(&kept_requests, kept_requests + 1, __ATOMIC_RELAXED);
  return true;
}

// Takes a request out, so that no other thread asks MPI about it meanwhile.
bool TakeNext(Kept* request) {
  const base::Locked lock(kept.lock);
  if (kept_requests == 0) return false;
  Kept& place = kept.requests[kept.next++ % kept_requests];
  *request = place;
  place = kept.requests[kept_requests - 1];
  __atomic_store_n(&kept_requests, kept_requests - 1, __ATOMIC_RELAXED);
  return true;
}

void Free(Kept* request) {
  pmpi.Request_free(&request->handle);
  Release(request->comm);
}

Request LoggedOf(const Kept& request) {
  Request logged = {.number = request.number};
  logged.comm_number = request.comm_number;
  return logged;
}

void HasEnded(const Kept& request, const MPI_Status& status) {
  if (WasCancelled(status)) {
    if (request.is_followed) Unposted(request.posted);
    return LogFreedReceived(LoggedOf(request), -1, -1);
  }
  const int32_t from = WorldRank(status.MPI_SOURCE, request.comm);
  Turn turn;
  if (request.is_followed) turn = Arrived(request.posted, request.comm, from, status.MPI_TAG);
  LogFreedReceived(LoggedOf(request), from, status.MPI_TAG, request.is_followed ? &turn : nullptr);
}

// Looks at some of the requests. The order does not matter: the status of each names the message that it got.
void Look(uint32_t looks) {
  Kept request;
  for (uint32_t i = 0; i < looks && TakeNext(&request); ++i) {
    int has_ended = 0;
    MPI_Status status = {};
    const int result = pmpi.Request_get_status(request.handle, &has_ended, &status);
    if (result == MPI_SUCCESS && has_ended == 0 && Add(request)) continue;
    if (result == MPI_SUCCESS && has_ended != 0) {
      HasEnded(request, status);
    } else {
      LogFreedReceived(LoggedOf(request), -1, -1);
    }
    Free(&request);
  }
}

}  // namespace

void LogFreedReceived(const Request& request, int32_t from, int32_t tag, const Turn* turn) {
  if (request.number == 0 || epik_adapter_traces() == 0) return;
  if (turn != nullptr) LogTurn(*turn);
  const uint64_t words[] = {static_cast<uint64_t>(int64_t{tag < 0 ? -1 : from}), static_cast<uint64_t>(int64_t{tag}),
                            request.comm_number, request.number};
  epik_adapter_record(static_cast<uint32_t>(event::RecordKind::kFreedReceived), words);
}

bool MayKeep(const Request& request, MPI_Request* other) {
  const bool receives = request.kind == Kind::kReceive || request.kind == Kind::kReceives;
  const bool is_followed = request.followed.on && request.followed.ticket != 0;
  if (!receives || request.untold || (!is_followed && request.number == 0) || !TakesSeveral(request)) return false;
  if (__atomic_load_n(&kept_requests, __ATOMIC_RELAXED) == kMostKept) return false;
  return pmpi.Send_init(nullptr, 0, Byte(), MPI_PROC_NULL, 0, Self(), other) == MPI_SUCCESS;
}

void KeepFreed(MPI_Request handle, const Request& request) {
  Kept now = {handle,         request.comm,        request.comm_number,
              request.number, request.followed.on, {request.followed.turn, request.followed.ticket}};
  if (Add(now)) return;
  LogFreedReceived(request, -1, -1);
  Free(&now);
}

void LookAtKept() { Look(std::min(kLooks, __atomic_load_n(&kept_requests, __ATOMIC_RELAXED))); }

void ReleaseKept() {
  Look(__atomic_load_n(&kept_requests, __ATOMIC_RELAXED));
  for (Kept request; TakeNext(&request);) {
    LogFreedReceived(LoggedOf(request), -1, -1);
    Free(&request);
  }
}

}  // namespace epik::mpi
