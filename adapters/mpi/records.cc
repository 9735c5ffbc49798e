// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/records.h"

#include <cstdlib>

namespace epik::mpi {
namespace {

// A persistent request may outlive the handle of its communicator, so it keeps what its records need.
void SetComm(Request* request, MPI_Comm comm) {
  Comm* known = Find(comm);
  request->comm_number = NumberOf(known, comm);
  request->comm = Keep(known);
}

void RememberPersistent(Request request, MPI_Comm comm) {
  request.active = false;
  SetComm(&request, comm);
  if (IsPersistentOperation(request.kind)) request.followed.turn.channel = CountPersistent(request.comm);
  Remember(request);
}

}  // namespace

void SendFailed(bool logged, uint64_t request) {
  NotSent();
  if (logged) LogRefused(request);
}

void TrackReceives(uint64_t request, int source, int tag, MPI_Comm comm) {
  RememberPersistent(
      {.key = request, .peer = AwaitedRank(source, comm), .tag = AwaitedTag(tag), .kind = Kind::kReceives}, comm);
}

void TrackParts(uint64_t request, uint64_t bytes, int source, int tag, MPI_Comm comm) {
  RememberPersistent(
      {.key = request, .out = bytes, .peer = AwaitedRank(source, comm), .tag = AwaitedTag(tag), .kind = Kind::kParts},
      comm);
}

void TrackSends(uint64_t request, uint64_t bytes, int dest, int tag, MPI_Comm comm, SendMode mode) {
  RememberPersistent(
      {.key = request, .out = bytes, .peer = WorldRank(dest, comm), .tag = tag, .kind = Kind::kSends, .mode = mode},
      comm);
}

void TrackPartedSends(uint64_t request, uint64_t parts, uint64_t bytes, int dest, int tag, MPI_Comm comm) {
  RememberPersistent({.key = request,
                      .out = bytes,
                      .in = parts,
                      .peer = WorldRank(dest, comm),
                      .tag = tag,
                      .kind = Kind::kSends,
                      .mode = SendMode::kPartitioned},
                     comm);
}

void TrackCollective(uint32_t operation, uint64_t request, Moved bytes, MPI_Comm comm, int root) {
  RememberPersistent({.key = request,
                      .out = bytes.out,
                      .in = bytes.in,
                      .peer = WorldRoot(root, comm),
                      .operation = operation,
                      .kind = Kind::kCollective},
                     comm);
}

void TrackCollective(uint32_t operation, uint64_t request, MPI_Comm comm) {
  RememberPersistent({.key = request, .peer = -1, .operation = operation, .kind = Kind::kBarrier}, comm);
}

void TrackFile(uint64_t request, uint32_t metric) { Remember({.key = request, .out = metric, .kind = Kind::kFile}); }

void LogReceive(int result, const MPI_Status& status, const Matched& matched, bool steps) {
  const Request* found = matched.found();
  if (found != nullptr) LogReceive(result, status, found->comm, found->comm_number, steps);
}

void TrackMatched(bool traces, uint64_t key, const Matched& matched) {
  const Request* found = matched.found();
  if (found != nullptr && traces) return LogReceivePosted(key, *found);
  Request request = {.key = key};
  if (found != nullptr) {
    request.comm = Keep(found->comm);
    request.comm_number = found->comm_number;
    request.unlogged = true;
    request.followed = found->followed;
    if (request.followed.on) FollowReceive(&request);
  }
  Remember(request);
}

void NoteReceived(int result, const MPI_Status& status, const Matched& matched) {
  if (matched.found() != nullptr) NoteReceived(result, status, *matched.found());
}

// A freed request has an end in the trace if it had completed by then.
void CountFreed(const Request& request, const MPI_Status* status) {
  if (status != nullptr) {
    ReceivedBytes received;
    Ended(request, *status, Outcome::kGood, &received);
    received.Count();
    if (request.followed.on) NoteCompleted(false);
  } else if (request.active) {
    LogFreed(request);
    if (IsReceive(request.kind) && TakesSeveral(request)) LogFreedReceived(request, -1, -1);
    NoteFreed(request);
  }
}

void BeginStart(bool steps, uint64_t key) {
  if (steps) BeginToCount();
  const uint64_t number = NewRequest();
  Request request;
  if (!SetNumber(key, number, &request)) return;
  if (steps && request.kind == Kind::kSends && !request.followed.counted) {
    request.followed.turn = SentOn(request.comm, request.peer, request.tag);
    request.followed.counted = true;
    Follow(key, request.followed, request.kind);
  }
  LogStart(request);
  if (request.kind != Kind::kCollective && request.kind != Kind::kBarrier) return;
  request.followed.begun = CollectiveBegun();
  Follow(key, request.followed, request.kind);
}

void Started(int wanted, uint64_t key) {
  Request request;
  if (!Activate(key, (wanted & kEpikTraces) != 0, &request)) return;
  const bool steps = (wanted & kEpikSteps) != 0;
  const bool collects = (wanted & kEpikCollects) != 0 && IsPersistentOperation(request.kind);
  if (steps || collects) FollowStart(&request);
  if (steps) Follow(key, request.followed, request.kind);
  if (request.kind == Kind::kSends) {
    const uint64_t place = epik_adapter_sent(request.out, request.peer);
    if (kCancelsSends) SetPlace(key, place);
  }
  if (request.kind != Kind::kCollective) return;
  Add(event::kCollectiveOutMetric, request.out);
  Add(event::kCollectiveInMetric, request.in);
}

void MarkReady(int wanted, uint64_t key, uint32_t parts) {
  Request request;
  if (!AddReady(key, parts, &request)) return;
  if ((wanted & kEpikTraces) != 0) LogReady(request);
  if ((wanted & kEpikSteps) != 0) NoteReady(request);
}

// The turn of a message that is not sent stays with the request, for its next start.
void StartFailed(uint64_t key) {
  Request request;
  if (!TakeNumber(key, &request) || request.number == 0) return;
  request.kind == Kind::kSends ? LogRefused(request.number) : LogCancelled(request.number);
}

}  // namespace epik::mpi
