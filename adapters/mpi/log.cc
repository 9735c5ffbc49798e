// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/log.h"

#include <cstdlib>
#include <cstring>

#include "adapters/mpi/absence.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/counting.h"
#include "adapters/mpi/freed.h"
#include "adapters/mpi/links.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/record_time.h"
#include "adapters/mpi/sources.h"
#include "adapters/mpi/steps.h"
#include "adapters/mpi/windows.h"
#include "flavour.h"
#include "runtime/event/collectives.h"

namespace epik::mpi {

using event::RecordKind;
using event::SendMode;

namespace {

template <class... Fields>
uint64_t LogAt(RecordKind kind, Fields... fields) {
  const uint64_t words[] = {static_cast<uint64_t>(fields)...};
  return LogWords(kind, words);
}

// The first record of a call: what it is about begins when the call is entered.
template <class... Fields>
uint64_t LogFirst(RecordKind kind, Fields... fields) {
  const uint64_t words[] = {static_cast<uint64_t>(fields)...};
  return epik_adapter_record_at(0, static_cast<uint32_t>(kind), words);
}

template <class... Fields>
void Log(RecordKind kind, Fields... fields) {
  LogAt(kind, fields...);
}

// When the record says that the latest blocking collective of this thread began: monitors are told the same time.
// 0: there is no such record.
__thread uint64_t collective_begun = 0;

}  // namespace

__thread Links latest_links;

namespace {

// The next record is the receive of a message that was too long.
void LogTruncated() { LogWords(RecordKind::kTruncated, nullptr); }

// The next record is the end of a collective operation that returned an error.
void LogFailed() { LogWords(RecordKind::kCollectiveFailed, nullptr); }

// Nobody knows how much of a message that was too long has arrived.
void LogArrival(const Request& request, const MPI_Status& status, Outcome outcome) {
  LookAtFreed();
  const uint64_t all = request.kind == Kind::kParts ? request.out : StatusBytes(status);
  const uint64_t bytes = outcome == Outcome::kGood ? all : 0;
  const int32_t from = request.untold ? request.peer : WorldRank(status.MPI_SOURCE, request.comm);
  const int32_t tag = request.untold ? request.tag : status.MPI_TAG;
  if (request.followed.on) LogTurn(LatestReceived());
  if (outcome == Outcome::kTruncated) LogTruncated();
  // If the sender or the tag is not known, the record names no message.
  Log(RecordKind::kReceiveEnd, tag < 0 ? -1 : from, tag, request.comm_number, bytes, request.number);
}

// MPICH 3 gives one handle to all sends that have completed already. So when a handle comes again, the send that had it
// has ended. If that send is still active, another thread is completing it and logs its end.
void RememberLogged(const Request& request) {
  Request before;
  if (!Remember(request, &before)) return;
  if (before.number != 0 && IsOnlyLogged(before.kind)) LogEnd(before, MPI_Status{}, Outcome::kGood);
}

// The communicator of a record. Taking its number defines it for readers, so only records ask for numbers.
Comm* CommOfLog(MPI_Comm comm, uint32_t* number) {
  Comm* known = Find(comm);
  *number = NumberOf(known, comm);
  return known;
}

// The analysis of waiting needs the posting order: operations on a communicator match in it, not in the order of their
// ends.
void LogPosted(const Request& request) {
  Log(RecordKind::kCollectivePosted, request.operation, request.comm_number, request.peer, request.out, request.in,
      request.number);
}

void LogTurnOfEnd(const Request& request) {
  const Turn& turn = request.followed.turn;
  if (!IsPersistentOperation(request.kind)) {
    if (request.followed.on) LogTurnOfOperation(turn.sequence);
  } else if (turn.channel != 0) {
    LogTurnOfStart(turn.channel, turn.sequence);
  }
}

// The handle may be used now, so readers can be told what the communicator is.
void LogCopied(const Request& request, bool ok) {
  MPI_Comm handle;
  std::memcpy(&handle, &request.in, sizeof handle);
  if (ok && request.comm != nullptr) {
    Log(RecordKind::kCommCreated, NumberOf(request.comm, handle), request.comm_number, request.number);
  }
  if (request.followed.turn.sequence != 0) LogTurnOfOperation(request.followed.turn.sequence);
  Log(RecordKind::kCollectiveEnd, request.operation, request.comm_number, request.peer, 0, 0, request.number);
}

}  // namespace

bool WantsTests() {
  static const bool wanted = (epik_adapter_mpi_groups() & request_tests) != 0;
  return wanted;
}

uint64_t LogSend(uint64_t bytes, int dest, int tag, MPI_Comm comm, bool has_request, bool steps, bool first) {
  if (steps) LogTurn(BeginSent(dest, tag, comm));
  uint32_t number = 0;
  CommOfLog(comm, &number);
  const int32_t peer = WorldRank(dest, comm);
  if (!has_request) {
    first ? LogFirst(RecordKind::kSend, peer, tag, number, bytes) : LogAt(RecordKind::kSend, peer, tag, number, bytes);
    return 0;
  }
  const uint64_t request = NewRequest();
  first ? LogFirst(RecordKind::kSendBegin, peer, tag, number, bytes, request)
        : LogAt(RecordKind::kSendBegin, peer, tag, number, bytes, request);
  return request;
}

void LogReceive(int result, const MPI_Status& status, const Comm* comm, uint32_t comm_number, bool steps) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || !HasMessage(status, OutcomeOf(result))) return;
  LookAtFreed();
  const uint64_t bytes = result == MPI_SUCCESS ? StatusBytes(status) : 0;
  if (steps) LogTurn(LatestReceived());
  if (result != MPI_SUCCESS) LogTruncated();
  Log(RecordKind::kReceive, WorldRank(status.MPI_SOURCE, comm), status.MPI_TAG, comm_number, bytes);
}

void LogReceive(int result, const MPI_Status& status, MPI_Comm comm, bool steps) {
  uint32_t number = 0;
  const Comm* known = CommOfLog(comm, &number);
  LogReceive(result, status, known, number, steps);
}

// A null key: MPI gave no request, so the send has ended.
void TrackSend(uint64_t number, uint64_t key) {
  if (number == 0) return;
  if (key == 0) return Log(RecordKind::kSendEnd, number);
  RememberLogged({.key = key, .number = number, .kind = Kind::kSend});
}

int32_t AwaitedRank(int source, MPI_Comm comm) { return source == MPI_ANY_SOURCE ? -1 : WorldRank(source, comm); }

int32_t AwaitedTag(int tag) { return tag == MPI_ANY_TAG ? -1 : tag; }

namespace {

// The communicator is one that records may name.
Request RequestFor(const Posting& posting, uint64_t key) {
  Request request = {.key = key, .kind = Kind::kReceive, .untold = posting.untold};
  request.comm = Keep(CommOfLog(posting.comm, &request.comm_number));
  request.peer = AwaitedRank(posting.source, posting.comm);
  request.tag = AwaitedTag(posting.tag);
  return request;
}

}  // namespace

void LogReceivePosted(uint64_t sent, const Posting& posting, uint64_t key, bool steps) {
  // Nothing is received; an MPI_Isendrecv still sends.
  if (posting.source == MPI_PROC_NULL) return TrackSend(sent, key);
  Request request = RequestFor(posting, key);
  request.number = sent == 0 ? NewRequest() : sent;
  if (sent != 0) request.kind = Kind::kSendReceive;
  Log(RecordKind::kReceivePosted, request.peer, request.tag, request.comm_number, request.number);
  if (steps) FollowReceive(&request);
  RememberLogged(request);
}

void TrackUnlogged(const Posting& posting, uint64_t key, bool steps) {
  if (!steps && epik_adapter_may_trace() == 0) return CountReceive(posting, key);
  if (posting.source == MPI_PROC_NULL) return;
  Request request = RequestFor(posting, key);
  request.unlogged = true;
  if (steps) FollowReceive(&request);
  Remember(request);
}

void FollowReceive(const Posting& posting, uint64_t key) {
  if (posting.source == MPI_PROC_NULL) return;
  Request request = {.key = key, .kind = Kind::kReceive, .untold = posting.untold};
  request.comm = Keep(FindRanked(posting.comm));
  request.peer = AwaitedRank(posting.source, posting.comm);
  request.tag = AwaitedTag(posting.tag);
  FollowReceive(&request);
  Remember(request);
}

void LogReceivePosted(uint64_t key, const Request& message) {
  Request request = {.key = key, .number = NewRequest(), .kind = Kind::kReceive};
  request.comm = Keep(message.comm);
  request.comm_number = message.comm_number;
  request.followed = message.followed;
  if (request.followed.on) FollowReceive(&request);
  Log(RecordKind::kReceivePosted, message.peer, message.tag, request.comm_number, request.number);
  RememberLogged(request);
}

void LogProbe(const MPI_Status& status, MPI_Comm comm) {
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  uint32_t number = 0;
  const Comm* known = CommOfLog(comm, &number);
  Log(RecordKind::kProbe, WorldRank(status.MPI_SOURCE, known), status.MPI_TAG, number, StatusBytes(status));
}

void LogStart(const Request& request) {
  switch (request.kind) {
    case Kind::kReceives:
    case Kind::kParts:
      return Log(RecordKind::kReceivePosted, request.peer, request.tag, request.comm_number, request.number);
    case Kind::kSends:
      if (request.mode != SendMode::kStandard) Log(RecordKind::kSendMode, request.mode);
      if (request.followed.counted) LogTurn(request.followed.turn);
      return Log(RecordKind::kSendBegin, request.peer, request.tag, request.comm_number, request.out, request.number);
    default:
      collective_begun = LogAt(RecordKind::kCollectiveBegin, request.operation, request.number);
      LogRuns(request.number, request.sources, request.sources_count);
      return LogPosted(request);
  }
}

void TrackMessage(uint64_t message, const MPI_Status& status, MPI_Comm comm, bool steps) {
  if (message == 0) return;
  Request request = {.key = message, .tag = status.MPI_TAG, .kind = Kind::kMessage};
  request.comm = Keep(CommOfLog(comm, &request.comm_number));
  request.peer = WorldRank(status.MPI_SOURCE, request.comm);
  if (steps) FollowMatched(&request, status);
  RememberLogged(request);
}

void LogEnd(const Request& request, const MPI_Status& status, Outcome outcome) {
  switch (request.kind) {
    case Kind::kCopy: return LogCopied(request, outcome == Outcome::kGood);
    case Kind::kOperation:
    case Kind::kCollective:
    case Kind::kBarrier:
      LogTurnOfEnd(request);
      if (outcome != Outcome::kGood) LogFailed();
      return Log(RecordKind::kCollectiveEnd, request.operation, request.comm_number, request.peer, request.out,
                 request.in, request.number);
    case Kind::kFile:
    case Kind::kMessage: return;
    default: break;
  }
  if (!HasMessage(status, outcome)) return LogCancelled(request.number);
  const bool sends = request.kind == Kind::kSend || request.kind == Kind::kSends || request.kind == Kind::kSendReceive;
  if (sends) Log(RecordKind::kSendEnd, request.number);
  if (!sends || request.kind == Kind::kSendReceive) LogArrival(request, status, outcome);
}

void LogRefused(uint64_t request) { Log(RecordKind::kSendRefused, request); }

void LogCancelled(uint64_t request) { Log(RecordKind::kRequestCancelled, request); }

void LogReady(const Request& request) {
  if (request.number != 0) Log(RecordKind::kSendReady, request.number);
}

void LogBufferEmpty() { epik_adapter_record(static_cast<uint32_t>(RecordKind::kBufferEmpty), nullptr); }

void LogUnposted(const Request& request, const MPI_Status& status) {
  if (request.comm == nullptr || epik_adapter_traces() == 0) return;
  Request logged = request;
  logged.number = NewRequest();
  LogArrival(logged, status, Outcome::kGood);
}

void LogTest(const Request& request) {
  if (request.number != 0) Log(RecordKind::kRequestTest, request.number);
}

void LogFreed(const Request& request) {
  if (request.number != 0) Log(RecordKind::kRequestFreed, request.number);
}

uint64_t BeginCollective(uint32_t operation) {
  const uint64_t request = NewRequest();
  collective_begun = LogFirst(RecordKind::kCollectiveBegin, operation, request);
  return request;
}

uint64_t BeginLater(uint32_t operation, bool traces) {
  collective_begun = 0;
  return traces ? BeginCollective(operation) : 0;
}

uint64_t CollectiveBegun() { return collective_begun; }

void BeginTraced(uint32_t operation) { collective_begun = LogFirst(RecordKind::kCollectiveBegin, operation, 0); }

uint64_t EndCollective(const Returned& call, int result, MPI_Comm comm, int root) {
  // After a call that was refused, neither communicator nor root need be valid.
  communicates = true;
  const bool good = result == MPI_SUCCESS;
  const bool took_part = good || (TookPart(result) && FindKnown(comm) != nullptr);
  const bool counts = (call.wanted & kEpikCounts) != 0;
  const bool traces = (call.wanted & kEpikTraces) != 0;
  if (!took_part) {
    if (traces && call.request != 0) LogCancelled(call.request);
    return 0;
  }
  uint32_t number = kWorldNumber;
  Comm* known = counts ? CommOfLog(comm, &number) : Find(comm);
  const int wanted = call.wanted | (traces ? epik_adapter_noted() : 0);  // the trace may be off since the call began
  const uint32_t sequence = (wanted & kEpikCollects) != 0 ? CountOperation(known) : 0;
  if (!counts) return 0;
  const int32_t of_world = WorldRoot(root, comm);
  uint64_t begun = 0, ended = 0;
  if (traces) {
    begun = collective_begun;
    constexpr int kNumbered = kEpikCollects | kEpikSteps;  // those that end later count, too
    if ((wanted & kNumbered) == kNumbered && sequence != 0) LogTurnOfOperation(sequence);
    if (!good) LogFailed();
    ended =
        LogAt(RecordKind::kCollectiveEnd, call.region, number, of_world, call.value, call.second_value, call.request);
  }
  if (!good || sequence == 0 || IsAlone(known)) return 0;
  if (latest_links.count != 0) epik_adapter_links(number, sequence, latest_links.first, latest_links.count);
  const EpikCollective done = {begun,       ended, number, sequence, of_world, call.value != 0, call.second_value != 0,
                               call.of_some};
  return epik_adapter_collective(&done, EPIK_HERE);
}

uint64_t NoteCollective(MPI_Comm comm, int root, bool gives, bool gets, bool of_some) {
  communicates = true;
  Comm* known = Find(comm);
  const uint32_t sequence = CountOperation(known);
  if (IsAlone(known)) return 0;
  const uint32_t number = KnownNumberOf(known, comm);
  const int32_t of_world = root == MPI_UNDEFINED ? -1 : WorldRoot(root, comm);
  if (EPIK_UNLIKELY(latest_links.count != 0)) {
    epik_adapter_links(number, sequence, latest_links.first, latest_links.count);
  }
  return epik_adapter_call_done(number, sequence, event::AboutCollective(of_world, gives, gets, of_some), EPIK_HERE);
}

void NoteFinalize(const Returned& call) {
  if ((call.wanted & kEpikCollects) == 0) return;
  Comm* world = Find(World());
  const uint32_t sequence = CountOperation(world);
  if ((call.wanted & kEpikCounts) == 0 || sequence == 0 || world->locals == 1) return;
  const EpikCollective done = {0, event::kNotBack, kWorldNumber, sequence, -1, false, false, false};
  epik_adapter_collective(&done, EPIK_HERE);
}

void EndCollectiveLater(const Returned& call, uint64_t key, MPI_Comm comm, int root) {
  Request request = {.key = key, .number = call.request, .out = call.value, .in = call.second_value};
  request.peer = WorldRoot(root, comm);
  request.operation = call.region;
  request.kind = Kind::kOperation;
  request.of_some = call.of_some;
  Comm* known = CommOfLog(comm, &request.comm_number);
  const bool traces = (call.wanted & kEpikTraces) != 0;
  const bool steps = (call.wanted & kEpikSteps) != 0;
  if (traces) LogPosted(request);
  if (steps || (call.wanted & kEpikCollects) != 0) FollowOperation(&request, known, collective_begun);
  if (!steps) request.followed = {};  // monitors read only that it has begun
  if (!steps && !traces) return;
  if (key != 0) {
    request.comm = Keep(known);
    return RememberLogged(request);
  }
  if (traces) LogEnd(request, MPI_Status{}, Outcome::kGood);
  if (request.followed.on) {
    NoteEnd(request, MPI_Status{}, Outcome::kGood);
    NoteCompleted(false);
  }
}

void EndCopyLater(const Returned& call, uint64_t key, MPI_Comm comm, MPI_Comm made) {
  Request request = {.key = key, .number = call.request, .peer = -1, .operation = call.region, .kind = Kind::kCopy};
  Comm* known = CommOfLog(comm, &request.comm_number);
  if ((call.wanted & kEpikSteps) != 0) request.followed.turn.sequence = CountOperation(known);
  LogPosted(request);
  request.comm = Keep(FindKnown(made));
  static_assert(sizeof made <= sizeof request.in);
  std::memcpy(&request.in, &made, sizeof made);
  if (key != 0) return RememberLogged(request);
  LogCopied(request, true);
  Release(request.comm);
}

int32_t WorldRoot(int root, MPI_Comm comm) {
  if (root == MPI_UNDEFINED || root == MPI_PROC_NULL) return -1;
  if (root != MPI_ROOT) return WorldRank(root, comm);
  int rank = -1;
  pmpi.Comm_rank(World(), &rank);
  return rank;
}

void LogCommCreated(MPI_Comm made, MPI_Comm from) {
  Comm* known = FindKnown(made);
  if (known == nullptr) return;
  uint32_t old = 0;
  CommOfLog(from, &old);
  Log(RecordKind::kCommCreated, NumberOf(known, made), old, 0);
}

void LogCollectiveCall(uint32_t operation, MPI_Comm comm) {
  uint32_t number = 0;
  if (CommOfLog(comm, &number) != nullptr) Log(RecordKind::kCollectiveCall, operation, number);
}

// The call frees the communicator or ends MPI, so its record comes before it. An unknown communicator stays unknown.
void LogLastCall(uint32_t operation, MPI_Comm comm) {
  if (Comm* known = FindKnown(comm)) Log(RecordKind::kCollectiveCall, operation, NumberOf(known, comm));
}

void LogAccess(RecordKind kind, MPI_Win window, int target, uint64_t bytes, uint64_t in) {
  const WindowMember at = MemberOf(target, window);
  Log(kind, at.rank, at.window, bytes, in);
}

void LogSync(uint32_t operation, MPI_Win window) {
  Log(RecordKind::kWindowSync, operation, NumberOfWindow(window), -1);
}

void LogSync(uint32_t operation, MPI_Win window, int rank) {
  const WindowMember at = MemberOf(rank, window);
  Log(RecordKind::kWindowSync, operation, at.window, at.rank);
}

void LogLock(uint32_t operation, MPI_Win window) {
  Log(RecordKind::kWindowLock, operation, NumberOfWindow(window), -1, 0);
}

void LogLock(uint32_t operation, MPI_Win window, int rank, bool exclusive) {
  const WindowMember at = MemberOf(rank, window);
  Log(RecordKind::kWindowLock, operation, at.window, at.rank, exclusive);
}

// Writes one record for each process of the group.
void LogSyncs(uint32_t operation, MPI_Win window, MPI_Group group) {
  const uint32_t number = NumberOfWindow(window);
  int count = 0;
  MPI_Group all;
  pmpi.Group_size(group, &count);
  pmpi.Comm_group(World(), &all);
  for (int i = 0; i < count; ++i) {
    int rank = MPI_UNDEFINED;
    pmpi.Group_translate_ranks(group, 1, &i, all, &rank);
    Log(RecordKind::kWindowSync, operation, number, rank == MPI_UNDEFINED ? -1 : rank);
  }
  pmpi.Group_free(&all);
}

}  // namespace epik::mpi
