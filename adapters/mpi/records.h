// SPDX-License-Identifier: BSD-3-Clause
// The functions and classes that mpi.def uses to describe a call.
#ifndef EPIK_ADAPTERS_MPI_RECORDS_H_
#define EPIK_ADAPTERS_MPI_RECORDS_H_

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/cancelling.h"
#include "adapters/mpi/collectives.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/completing.h"
#include "adapters/mpi/files.h"
#include "adapters/mpi/freed.h"
#include "adapters/mpi/job.h"
#include "adapters/mpi/log.h"
#include "adapters/mpi/outcome.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/shapes.h"
#include "adapters/mpi/sizes.h"
#include "adapters/mpi/sources.h"
#include "adapters/mpi/steps.h"
#include "adapters/mpi/windows.h"
#include "flavour.h"
#include "runtime/event/layout.h"

namespace epik::mpi {

using event::kBytesGotMetric;
using event::kBytesPutMetric;
using event::kFileReadMetric;
using event::kFileWrittenMetric;
using event::SendMode;

inline void Add(uint32_t metric, uint64_t bytes) { epik_adapter_add(metric, bytes); }

// A send is logged when it begins. If its arguments cannot be trusted before MPI accepts them, it is logged after the
// call.
template <class Count>
EPIK_COLD Begun BeginSend(Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, bool has_request,
                          bool steps) {
  if (dest == MPI_PROC_NULL) return {};
  const Comm* known = FindKnown(comm);
  uint64_t size = 0;
  const bool good = known != nullptr && dest >= 0 && dest < known->peers && count >= 0 && SizeOf(datatype, &size);
  return {good ? LogSend(static_cast<uint64_t>(count) * size, dest, tag, comm, has_request, steps, true) : 0, !good,
          good};
}

template <class Count>
EPIK_HOT void Sent(Call* call, Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, bool has_request) {
  if (dest == MPI_PROC_NULL) return;
  call->bytes = BytesOf(count, datatype);
  call->peer = WorldRank(dest, comm);
  call->place = epik_adapter_sent(call->bytes, call->peer);
  if (EPIK_LIKELY(!call->begun.missed)) return;
  call->begun.request = LogSend(call->bytes, dest, tag, comm, has_request, call->Steps());
}

// MPI has refused a send. `logged`: before the call, because it looked good.
EPIK_COLD void SendFailed(bool logged, uint64_t request);
EPIK_HOT void SendFailed(const Begun& begun) { SendFailed(begun.sends, begun.request); }

// Whether a call that sends and receives has sent a message that counts. Its own message goes also if the one that it
// receives is too long.
EPIK_HOT bool SentMessage(const Call& call, int result) { return !call.IsPassedOver() && TookMessage(result); }

// Returns the size and the receiver of the message that a call has sent. If it sent none that counts, the receiver is
// -1.
EPIK_HOT MessageSize MessageOf(const Call& call) { return {call.bytes, call.peer}; }

inline Sum Received(const MPI_Status& status) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || WasCancelled(status)) return {};
  return {event::kBytesReceivedMetric, StatusBytes(status)};
}

EPIK_HOT void Collective(Call* call, Moved bytes) {
  call->Add({event::kCollectiveOutMetric, bytes.out}, {event::kCollectiveInMetric, bytes.in});
}

EPIK_HOT void TrackReceive(const Call* call, const Posting& posting, uint64_t request) {
  if (call->OnlyCounts()) return CountReceive(posting, request);
  if (call->Traces()) return LogReceivePosted(call->begun.request, posting, request, call->Steps());
  if (call->IsPassedOver()) return TrackUnlogged(posting, request, call->Steps());
  FollowReceive(posting, request);
}
void TrackReceives(uint64_t request, int source, int tag, MPI_Comm comm);
void TrackParts(uint64_t request, uint64_t bytes, int source, int tag, MPI_Comm comm);
void TrackSends(uint64_t request, uint64_t bytes, int dest, int tag, MPI_Comm comm,
                SendMode mode = SendMode::kStandard);
void TrackPartedSends(uint64_t request, uint64_t parts, uint64_t bytes, int dest, int tag, MPI_Comm comm);
void TrackCollective(uint32_t operation, uint64_t request, Moved bytes, MPI_Comm comm, int root);
void TrackCollective(uint32_t operation, uint64_t request, MPI_Comm comm);
void TrackFile(uint64_t request, uint32_t metric);

// A message that a probe has matched, until it is received.
class Matched {
 public:
  explicit Matched(uint64_t message) : is_known_(Forget(message, &found_)) {}
  ~Matched() {
    if (is_known_) Release(found_.comm);
  }
  Matched(const Matched&) = delete;
  Matched& operator=(const Matched&) = delete;
  const Request* found() const { return is_known_ ? &found_ : nullptr; }

 private:
  Request found_;
  bool is_known_;
};
void LogReceive(int result, const MPI_Status& status, const Matched& matched, bool steps);
void NoteReceived(int result, const MPI_Status& status, const Matched& matched);
void TrackMatched(bool traces, uint64_t request, const Matched& matched);

// Persistent requests are logged before they start and counted after that.
void BeginStart(bool steps, uint64_t request);
template <class Handle>
void BeginStarts(bool steps, int count, const Handle* requests) {
  for (int i = 0; i < count; ++i) BeginStart(steps, RequestKey(requests[i]));
}
void Started(int wanted, uint64_t request);
// MPI has refused to start the request.
EPIK_COLD void StartFailed(uint64_t request);

// The program is about to mark parts of a partitioned send as ready. They count in each call, because another call may
// mark the last ones. C passes the request, Fortran its address.
void MarkReady(int wanted, uint64_t request, uint32_t parts);
EPIK_HOT void MarkReady(const Call& call, MPI_Request request, int parts) {
  if (call.OnlyCounts() && epik_adapter_may_trace() == 0) return;
  if (parts > 0) MarkReady(call.wanted(), RequestKey(request), static_cast<uint32_t>(parts));
}
EPIK_HOT void MarkReady(const Call& call, const MPI_Fint* request, int parts) {
  MarkReady(call, RequestOf(*request), parts);
}

// Counts a request that the program has freed. `status`: of the message, if it has arrived by then; else null.
void CountFreed(const Request& request, const MPI_Status* status);

// A request that the program frees. A message that has arrived by then counts. Handle is MPI_Request or MPI_Fint.
template <class Handle>
class Freeing {
 public:
  explicit Freeing(Handle* handle)
      : handle_(handle), other_(*handle), is_known_(Forget(RequestKey(*handle), &request_)) {
    if (!is_known_ || !request_.active) return;
    int flag = 0;
    has_arrived_ = pmpi.Request_get_status(RequestOf(*handle), &flag, &status_) == MPI_SUCCESS && flag != 0;
    MPI_Request other;
    keeps_ = !has_arrived_ && MayKeep(request_, &other);
    if (keeps_) SetHandle(other, &other_);
  }
  Freeing(const Freeing&) = delete;
  Freeing& operator=(const Freeing&) = delete;

  // The handle that MPI gets instead of the program's.
  Handle* passed() { return keeps_ ? &other_ : handle_; }
  void Done(int result) {
    if (!is_known_) return;
    if (result == MPI_SUCCESS && keeps_) {
      LogFreed(request_);
      KeepFreed(RequestOf(*handle_), request_);
      *handle_ = other_;
      return;
    }
    if (result == MPI_SUCCESS) CountFreed(request_, has_arrived_ ? &status_ : nullptr);
    std::free(request_.sources);
    Release(request_.comm);
  }

 private:
  Handle* handle_;
  Handle other_;
  Request request_;
  bool is_known_;
  bool has_arrived_ = false;
  bool keeps_ = false;
  MPI_Status status_ = {};
};

// One-sided accesses: bytes stored at the target, and bytes loaded from there.
EPIK_HOT void Put(Call* call, uint64_t bytes, int target, MPI_Win window) {
  call->Add({kBytesPutMetric, bytes});
  if (call->Traces()) LogAccess(event::RecordKind::kPut, window, target, bytes);
}
EPIK_HOT void Got(Call* call, uint64_t bytes, int target, MPI_Win window) {
  call->Add({kBytesGotMetric, bytes});
  if (call->Traces()) LogAccess(event::RecordKind::kGet, window, target, bytes);
}
EPIK_HOT void Accumulated(Call* call, uint64_t bytes, int target, MPI_Win window) {
  call->Add({kBytesPutMetric, bytes});
  if (call->Traces()) LogAccess(event::RecordKind::kAtomic, window, target, bytes);
}
EPIK_HOT void PutAndGot(Call* call, uint64_t put, uint64_t got, int target, MPI_Win window) {
  call->Add({kBytesPutMetric, put}, {kBytesGotMetric, got});
  if (call->Traces()) LogAccess(event::RecordKind::kAtomic, window, target, put, got);
}
// An operation that changes nothing ignores its origin buffer.
template <class Count>
EPIK_HOT uint64_t StoredBytes(MPI_Op op, Count count, MPI_Datatype datatype) {
  return op == NoOp() ? 0 : BytesOf(count, datatype);
}
EPIK_HOT void PutAndGot(Call* call, uint64_t put, uint64_t got, int target, MPI_Op op, MPI_Win window) {
  if (op != NoOp()) return PutAndGot(call, put, got, target, window);
  call->Add({kBytesGotMetric, got});
  if (call->Traces()) LogAccess(event::RecordKind::kAtomic, window, target, 0, got);
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_RECORDS_H_
