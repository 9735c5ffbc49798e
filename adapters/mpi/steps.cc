// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/steps.h"

#include <pthread.h>

#include "adapters/abi/abi.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"
#include "runtime/event/collectives.h"

namespace epik::mpi {

using event::Step;

namespace {

// A message that a probe has seen and nobody has received so far. The oldest are forgotten.
struct Probe {
  const void* thread;  // null: none
  uint64_t channel;
  uint64_t entered, left;
  uint32_t node;
};
constexpr uint32_t kProbes = 64;

struct Probes {
  base::SpinLock lock;
  Probe probes[kProbes];
  uint32_t next;
  uint32_t open;
};
constinit Probes probes = {};

const void* ThisThread() { return reinterpret_cast<const void*>(pthread_self()); }

void Note(Step step, const Turn& turn, uint32_t flags, uint64_t entered = 0, uint32_t node = 0) {
  EpikStep noted = {};
  noted.about = static_cast<uint32_t>(step) | flags | (turn.is_certain ? 0 : event::kUncertainStep);
  noted.sequence = turn.sequence;
  noted.channel = turn.channel;
  noted.entered = entered;
  noted.node = node;
  epik_adapter_step(&noted, EPIK_HERE);
}

// The probe that saw the message of this channel first; not one that came after its receive.
bool TakeProbe(uint64_t channel, uint64_t posted, Probe* found) {
  if (__atomic_load_n(&probes.open, __ATOMIC_RELAXED) == 0) return false;
  const base::Locked lock(probes.lock);
  for (uint32_t i = 0; i < kProbes; ++i) {
    Probe& probe = probes.probes[(probes.next + i) % kProbes];
    if (probe.thread != ThisThread() || probe.channel != channel || posted < probe.left) continue;
    *found = probe;
    probe = {};
    __atomic_fetch_sub(&probes.open, 1, __ATOMIC_RELAXED);
    return true;
  }
  return false;
}

// The receive was posted in a call that was entered then. Returns its flags.
uint32_t NoteItsProbe(const Turn& turn, uint64_t posted) {
  Probe probe;
  if (!TakeProbe(turn.channel, posted, &probe)) return 0;
  Note(Step::kReceived, turn, event::kProbedStep, probe.entered, probe.node);
  return event::kAfterProbeStep;
}

void NoteReceive(const Turn& turn) {
  constexpr uint64_t kAfterAll = ~uint64_t{0};  // its probes came before it
  const uint32_t flags = NoteItsProbe(turn, kAfterAll);
  Note(Step::kReceived, turn, flags);
}

int32_t OwnRank() {
  const Comm* world = FindKnown(World());
  return world == nullptr ? -1 : world->rank;
}

// The same rank and tag for the posting of a receive, -1 for any.
Turn ArrivedAtOnce(const Comm* comm, const MPI_Status& status) {
  const int32_t from = WorldRank(status.MPI_SOURCE, comm);
  return Arrived(Posted(comm, from, status.MPI_TAG), comm, from, status.MPI_TAG);
}

// World ranks of a communicator are there from its first use on.
Comm* WithRanks(MPI_Comm comm) {
  Comm* known = Find(comm);
  WorldRank(0, comm);
  return known;
}

void NoteEndOfReceive(const Request& request, const MPI_Status& status, Outcome outcome) {
  const PostedReceive posted = {request.followed.turn, request.followed.ticket};
  if (!HasMessage(status, outcome)) return Unposted(posted);
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  const bool by_status = request.kind != Kind::kParts;
  const int32_t from = by_status ? WorldRank(status.MPI_SOURCE, request.comm) : request.peer;
  const Turn turn = Arrived(posted, request.comm, from, by_status ? status.MPI_TAG : request.tag);
  const uint32_t flags = NoteItsProbe(turn, request.followed.begun);
  Note(Step::kArrived, turn, flags | (request.followed.untimed ? event::kUntimedStep : 0), request.followed.begun);
}

void NoteOperation(Step step, const Request& request) {
  EpikStep noted = {};
  noted.about = static_cast<uint32_t>(step) | (request.out != 0 ? event::kGivesBit : 0) |
                (request.in != 0 ? event::kGetsBit : 0) |
                (request.peer >= 0 && request.peer == OwnRank() ? event::kRootStep : 0);
  noted.sequence = request.followed.turn.sequence;
  noted.channel = request.operation;
  noted.number = request.comm_number;
  noted.entered = request.followed.begun;
  epik_adapter_step(&noted, EPIK_HERE);
}

}  // namespace

void NoteSent(int dest, int tag, MPI_Comm comm, bool waits) {
  if (dest == MPI_PROC_NULL) return;
  const Turn turn = SentOn(WithRanks(comm), WorldRank(dest, comm), tag);
  Note(Step::kSent, turn, waits ? event::kSynchronousStep | event::kGetsBit : 0);
}

void NoteSentLater(uint64_t key, int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  const Turn turn = SentOn(WithRanks(comm), WorldRank(dest, comm), tag);
  Note(Step::kSent, turn, event::kSynchronousStep);
  Followed followed;
  followed.turn = turn;
  followed.on = true;
  Follow(key, followed, Kind::kSend);
}

void NoteReceived(int result, const MPI_Status& status, MPI_Comm comm) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || !HasMessage(status, OutcomeOf(result))) return;
  NoteReceive(ArrivedAtOnce(WithRanks(comm), status));
}

void NoteReceived(int, const MPI_Status& status, const Request& message) {
  if (status.MPI_SOURCE == MPI_PROC_NULL || !message.followed.on) return;
  NoteReceive(message.followed.turn);
}

// The message becomes known when it is received. The channel is enough to find the probe then.
void NoteProbed(const MPI_Status& status, MPI_Comm comm) {
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  const Comm* known = WithRanks(comm);
  Probe probe = {ThisThread(), 0, 0, 0, 0};
  probe.channel = ChannelFrom(known, WorldRank(status.MPI_SOURCE, known), status.MPI_TAG);
  probe.entered = epik_adapter_entered(&probe.node);
  probe.left = epik_adapter_now();
  if (probe.entered == 0 || probe.channel == 0) return;
  const base::Locked lock(probes.lock);
  Probe& place = probes.probes[probes.next++ % kProbes];
  if (place.thread == nullptr) __atomic_fetch_add(&probes.open, 1, __ATOMIC_RELAXED);
  place = probe;
}

void FollowMatched(Request* message, const MPI_Status& status) {
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  message->followed.turn = ArrivedAtOnce(message->comm, status);
  message->followed.on = true;
}

void FollowReceive(Request* request) {
  uint32_t node = 0;
  request->followed.begun = epik_adapter_entered(&node);
  request->followed.untimed = request->followed.begun == 0;
  if (request->followed.untimed) request->followed.begun = epik_adapter_now();
  if (!request->followed.on) {
    const PostedReceive posted = Posted(request->comm, request->peer, request->tag);
    request->followed.turn = posted.turn;
    request->followed.ticket = posted.ticket;
  }
  request->followed.on = true;
}

void FollowOperation(Request* request, Comm* comm, uint64_t begun) {
  if (comm == nullptr) return;
  const uint32_t sequence = CountCollective(comm);
  if (comm->locals == 1 && !comm->is_inter) return;  // alone there is nobody to wait for
  request->followed.on = true;
  request->followed.begun = begun;
  request->followed.turn.sequence = sequence;
  NoteOperation(Step::kBegun, *request);
}

void FollowStart(Request* request) {
  Followed& followed = request->followed;
  const uint64_t begun = followed.begun;
  followed.on = false;
  switch (request->kind) {
    case Kind::kSends:
      followed.turn = SentOn(request->comm, request->peer, request->tag);
      Note(Step::kSent, followed.turn, followed.synchronous ? event::kSynchronousStep : 0);
      followed.on = followed.synchronous;
      return;
    case Kind::kReceives:
    case Kind::kParts: return FollowReceive(request);
    case Kind::kCollective:
    case Kind::kBarrier: return FollowOperation(request, request->comm, request->number == 0 ? 0 : begun);
    default: return;
  }
}

void NoteEnd(const Request& request, const MPI_Status& status, Outcome outcome) {
  switch (request.kind) {
    case Kind::kReceive:
    case Kind::kSendReceive:
    case Kind::kReceives:
    case Kind::kParts: return NoteEndOfReceive(request, status, outcome);
    case Kind::kSend:
    case Kind::kSends: return Note(Step::kLeft, request.followed.turn, 0);
    case Kind::kOperation:
    case Kind::kCollective:
    case Kind::kBarrier: return NoteOperation(Step::kEnded, request);
    default: return;
  }
}

void NoteCompleted(bool waited) { Note(waited ? Step::kCall : Step::kTest, {0, 0, true}, 0); }

}  // namespace epik::mpi
