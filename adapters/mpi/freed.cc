// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/freed.h"

#include <algorithm>

#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {

uint32_t kept_requests = 0;

namespace {

constexpr uint32_t kMostKept = 256;
constexpr uint32_t kLooks = 16;  // at a time

struct Kept {
  MPI_Request handle;
  PostedReceive posted;
  Comm* comm;
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

void HasEnded(const Kept& request, const MPI_Status& status) {
  if (WasCancelled(status)) return Unposted(request.posted);
  Arrived(request.posted, request.comm, WorldRank(status.MPI_SOURCE, request.comm), status.MPI_TAG);
}

}  // namespace

bool MayKeep(const Request& request, MPI_Request* other) {
  const bool receives = request.kind == Kind::kReceive || request.kind == Kind::kReceives;
  const bool is_open = request.followed.on && request.followed.ticket != 0 && !request.untold;
  if (!receives || !is_open || (request.peer >= 0 && request.tag >= 0)) return false;
  if (__atomic_load_n(&kept_requests, __ATOMIC_RELAXED) == kMostKept) return false;
  return pmpi.Send_init(nullptr, 0, Byte(), MPI_PROC_NULL, 0, Self(), other) == MPI_SUCCESS;
}

void KeepFreed(MPI_Request handle, const Request& request) {
  Kept now = {handle, {request.followed.turn, request.followed.ticket}, request.comm};
  if (!Add(now)) Free(&now);
}

// The order of requests does not matter: the status of each names the message that it got. Each is asked about once.
void LookAtKept() {
  Kept request;
  const uint32_t looks = std::min(kLooks, __atomic_load_n(&kept_requests, __ATOMIC_RELAXED));
  for (uint32_t i = 0; i < looks && TakeNext(&request); ++i) {
    int has_ended = 0;
    MPI_Status status = {};
    const int result = pmpi.Request_get_status(request.handle, &has_ended, &status);
    if (result == MPI_SUCCESS && has_ended == 0 && Add(request)) continue;
    if (result == MPI_SUCCESS && has_ended != 0) HasEnded(request, status);
    Free(&request);
  }
}

void ReleaseKept() {
  for (Kept request; TakeNext(&request);) Free(&request);
}

}  // namespace epik::mpi
