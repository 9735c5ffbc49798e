// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/steps.h"

#include <pthread.h>

#include "adapters/abi/abi.h"
#include "adapters/mpi/absence.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/freed.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"
#include "runtime/event/collectives.h"

namespace epik::mpi {

using event::SendMode;
using event::Step;

namespace {

// A message that a probe has seen and that is not received yet. The oldest are forgotten.
struct Probe {
  const void* thread;  // null: this place is free
  uint64_t channel;
  uint64_t entered, left;
  uint32_t node;
  uint32_t sequence;  // of the message; 0: the first message that was not received when the probe returned
};
constexpr uint32_t kProbes = 64;

struct Probes {
  base::SpinLock lock;
  Probe probes[kProbes];
  uint32_t next;
  uint32_t open;
};
constinit Probes probes = {};

// The message that this thread is about to send, and the message that it received last.
__thread Turn begun_send;
__thread Turn received;

const void* ThisThread() { return reinterpret_cast<const void*>(pthread_self()); }

// Returns the time of a Step::kCall.
uint64_t Note(Step step, const Turn& turn, uint32_t flags, uint64_t entered = 0, uint32_t node = 0,
              uint32_t number = 0) {
  EpikStep noted = {};
  noted.number = number;
  noted.about = static_cast<uint32_t>(step) | flags | (turn.is_certain ? 0 : event::kUncertainStep);
  noted.sequence = turn.sequence;
  noted.channel = turn.channel;
  noted.entered = entered;
  noted.node = node;
  communicates = true;
  return epik_adapter_step(&noted, EPIK_HERE);
}

void AddProbe(const Probe& probe) {
  const base::Locked lock(probes.lock);
  Probe& place = probes.probes[probes.next++ % kProbes];
  if (place.thread == nullptr) __atomic_fetch_add(&probes.open, 1, __ATOMIC_RELAXED);
  place = probe;
}

// Calls use(probe) for this thread's probes that saw this message, in their order. `taken`: when a receive or a probe
// took the message; later probes saw another one. 0: only probes that know their message.
template <class Use>
void ForEachProbeOf(const Turn& turn, uint64_t taken, Use use) {
  for (uint32_t i = 0; i < kProbes; ++i) {
    Probe& probe = probes.probes[(probes.next + i) % kProbes];
    if (probe.thread != ThisThread() || probe.channel != turn.channel) continue;
    if (probe.sequence == 0 ? taken >= probe.left : probe.sequence == turn.sequence) use(&probe);
  }
}

void Drop(Probe* probe) {
  *probe = {};
  __atomic_fetch_sub(&probes.open, 1, __ATOMIC_RELAXED);
}

bool HasProbes() { return __atomic_load_n(&probes.open, __ATOMIC_RELAXED) != 0; }

// Takes the first probe that saw the message: only it may have waited, the others found the message there.
bool TakeProbe(const Turn& turn, uint64_t taken, Probe* found) {
  if (!HasProbes()) return false;
  const base::Locked lock(probes.lock);
  found->thread = nullptr;
  ForEachProbeOf(turn, taken, [found](Probe* probe) {
    if (found->thread == nullptr) *found = *probe;
    Drop(probe);
  });
  return found->thread != nullptr;
}

constexpr uint64_t kNow = ~uint64_t{0};

// A receive or a probe has taken this message and may complete at any time; later probes see the next message. False:
// no probe had seen it before.
bool KeepProbe(const Turn& turn) {
  Probe first;
  if (!turn.is_certain || !TakeProbe(turn, kNow, &first)) return false;
  first.sequence = turn.sequence;
  AddProbe(first);
  return true;
}

// Notes the probe of a message that was taken at `taken`. Returns the flags of its receive. `channel` tells where the
// message came from, even if its turn is not known. Then it is also unknown which message the probe saw.
uint32_t NoteItsProbe(const Turn& turn, uint64_t channel, uint64_t taken) {
  Probe probe;
  if (!TakeProbe({channel, turn.sequence, turn.is_certain}, taken, &probe)) return 0;
  const uint32_t length = event::LengthOf(probe.left - probe.entered);
  Note(Step::kReceived, turn, event::kProbedStep, probe.entered, probe.node, length);
  return event::kAfterProbeStep;
}

uint32_t MatchedFlag(const Request& message) { return message.followed.shared ? event::kMatchedStep : 0; }

// `step`: kReceived, or kArrived in a call that NoteCompleted ends.
void NoteReceive(Step step, const Turn& turn, uint64_t channel, uint64_t taken, uint32_t flags) {
  received = turn;
  const uint32_t of_probe = NoteItsProbe(turn, channel, taken);
  uint32_t node = 0;
  Note(step, turn, flags | of_probe, 0, 0, AbsenceBefore(epik_adapter_entered(&node)));
}

bool IsSend(Kind kind) { return kind == Kind::kSend || kind == Kind::kSends; }

int32_t OwnRank() {
  const Comm* world = FindKnown(World());
  return world == nullptr ? -1 : world->rank;
}

struct Counting {
  base::SpinLock lock;
  bool has_begun;
};
constinit Counting counting = {};

bool IsOperation(Kind kind) { return kind == Kind::kOperation || IsPersistentOperation(kind); }

void FollowPosted(Followed* followed, const PostedReceive& posted) {
  followed->turn = posted.turn;
  followed->ticket = posted.ticket;
  followed->matched = posted.turn.is_certain;
  followed->on = followed->untimed = true;
  followed->absence = 0;
  followed->begun = epik_adapter_now();
}

// Starts of persistent operations are counted anyway.
void CountOpenOperation(const Request& request, Followed* followed) {
  if (!IsPersistentOperation(request.kind)) followed->turn.sequence = CountCollective(request.comm);
  followed->on = true;
}

// Counts an open receive or operation that the trace has.
void CountOpen(const Request& request) {
  Followed followed = request.followed;
  if (followed.on || request.comm == nullptr) return;
  if (IsReceive(request.kind)) {
    FollowPosted(&followed, Posted(request.comm, request.peer, request.tag));
  } else if (IsOperation(request.kind)) {
    CountOpenOperation(request, &followed);
  } else {
    return;
  }
  Follow(request.key, followed, request.kind);
}

EPIK_COLD void CountAllOpen() {
  const base::Locked lock(counting.lock);
  if (counting.has_begun) return;
  Request request;
  for (uint64_t number = 0; NextLogged(number, &request); number = request.number) CountOpen(request);
  __atomic_store_n(&counting.has_begun, true, __ATOMIC_RELEASE);
}

// The turn of a message whose receive accepts only its source and tag, and is posted now.
Turn ArrivedAtOnce(const Comm* comm, const MPI_Status& status) {
  BeginToCount();
  LookAtFreed();
  const int32_t from = WorldRank(status.MPI_SOURCE, comm);
  return Arrived(Posted(comm, from, status.MPI_TAG), comm, from, status.MPI_TAG);
}

uint64_t ChannelOf(const MPI_Status& status, const Comm* comm) {
  return ChannelFrom(comm, WorldRank(status.MPI_SOURCE, comm), status.MPI_TAG);
}

void NoteReceivedAs(Step step, int result, const MPI_Status& status, MPI_Comm comm) {
  received = {};
  if (status.MPI_SOURCE == MPI_PROC_NULL || !HasMessage(status, OutcomeOf(result))) return;
  const Comm* known = FindRanked(comm);
  const Turn turn = ArrivedAtOnce(known, status);
  NoteReceive(step, turn, turn.is_certain ? turn.channel : ChannelOf(status, known), kNow, 0);
}

// Remembers that the current call, a probe, has seen a message of this channel.
void NoteProbe(uint64_t channel) {
  communicates = true;
  Probe probe = {ThisThread(), channel, 0, 0, 0, 0};
  probe.entered = epik_adapter_entered(&probe.node);
  probe.left = epik_adapter_now();
  if (probe.entered != 0 && probe.channel != 0) AddProbe(probe);
}

// The turn of the message that the thread sends. If the send is in the trace, it was counted already.
Turn Sent(int dest, int tag, MPI_Comm comm) {
  const Turn begun = begun_send;
  begun_send = {};
  return begun.channel != 0 ? begun : SentOn(FindRanked(comm), WorldRank(dest, comm), tag);
}

bool MayNeedReceive(const MessageSize& size) {
  return size.receiver >= 0 && size.receiver != standard_sends.never_to &&
         epik_adapter_may_need_receive(size.receiver, size.bytes) != 0;
}

// The same for a send that is over at the end of this call. Nobody asks how long a call waited that is not measured.
bool MayWaitHere(const MessageSize& size) {
  uint32_t node = 0;
  return MayNeedReceive(size) && epik_adapter_entered(&node) != 0;
}

// An uncertain `turn` stands for a message that may have needed its receive, or not.
void NoteLeft(const Turn& turn, const MessageSize& size) {
  Note(Step::kLeft, turn, event::kStandardStep, size.bytes, 0, static_cast<uint32_t>(size.receiver));
}

void NoteEndOfSend(const Request& request) {
  if (request.followed.synchronous) return static_cast<void>(Note(Step::kLeft, request.followed.turn, 0));
  NoteLeft(request.followed.turn, {request.out, request.peer});
  if (request.kind == Kind::kSend) __atomic_fetch_sub(&standard_sends.followed, 1, __ATOMIC_RELAXED);
}

void NoteEndOfReceive(const Request& request, const MPI_Status& status, Outcome outcome) {
  LookAtFreed();
  received = {};
  const PostedReceive posted = {request.followed.turn, request.followed.ticket};
  if (!HasMessage(status, outcome)) return Unposted(posted);
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  if (request.untold && (request.peer < 0 || request.tag < 0)) {
    return Freed(posted, request.comm, request.peer, request.tag);  // nobody learns which message it got
  }
  const bool by_status = request.kind != Kind::kParts && !request.untold;
  const int32_t from = by_status ? WorldRank(status.MPI_SOURCE, request.comm) : request.peer;
  const int32_t tag = by_status ? status.MPI_TAG : request.tag;
  const Turn turn = Arrived(posted, request.comm, from, tag);
  received = turn;
  const uint64_t channel = turn.is_certain ? turn.channel : ChannelFrom(request.comm, from, tag);
  const uint32_t flags = NoteItsProbe(turn, channel, request.followed.matched ? 0 : request.followed.begun);
  const uint32_t untimed = request.followed.untimed ? event::kUntimedStep : 0;
  Note(Step::kArrived, turn, flags | untimed | MatchedFlag(request), request.followed.begun, 0,
       request.followed.absence);
}

// Starts of one request follow each other, and those of other requests are somewhere else.
uint32_t SequenceOf(const Request& request) {
  const Turn& turn = request.followed.turn;
  if (!IsPersistentOperation(request.kind)) return turn.sequence;
  return event::kFirstPersistent | (static_cast<uint32_t>(turn.channel) * 0x9e3779b1u + turn.sequence);
}

void NoteOperation(Step step, const Request& request) {
  EpikStep noted = {};
  noted.about = static_cast<uint32_t>(step) | (request.out != 0 ? event::kGivesBit : 0) |
                (request.in != 0 ? event::kGetsBit : 0) |
                (request.of_some || request.sources_count != 0 ? event::kSomeBit : 0) |
                (request.peer >= 0 && request.peer == OwnRank() ? event::kRootStep : 0);
  noted.sequence = SequenceOf(request);
  noted.channel = request.operation;
  noted.number = request.comm_number;
  noted.entered = request.followed.begun;
  communicates = true;
  epik_adapter_step(&noted, EPIK_HERE);
}

void NoteBegunSend(const Request& request) {
  const Followed& followed = request.followed;
  Note(Step::kSent, followed.turn,
       followed.synchronous ? event::kSynchronousStep
       : followed.on        ? event::kStandardStep
                            : 0);
}

void FollowSends(Request* request) {
  Followed& followed = request->followed;
  if (!followed.counted) followed.turn = SentOn(request->comm, request->peer, request->tag);
  followed.counted = false;
  followed.synchronous = request->mode == SendMode::kSynchronous;
  const bool has_parts = request->mode == SendMode::kPartitioned;
  const bool is_standard = request->mode == SendMode::kStandard || has_parts;
  const bool may_wait = is_standard && MayNeedReceive({request->out, request->peer});
  followed.on = followed.synchronous || may_wait;
  if (!has_parts) NoteBegunSend(*request);
}

}  // namespace

constinit StandardSends standard_sends;

void NeverWaitFor(int32_t own_rank) { standard_sends.never_to = own_rank; }

Turn BeginSent(int dest, int tag, MPI_Comm comm) {
  begun_send = SentOn(FindRanked(comm), WorldRank(dest, comm), tag);
  return begun_send;
}

void NotSent() {
  if (begun_send.channel != 0) Unsent(begun_send);  // otherwise the send was not counted
  begun_send = {};
}

void NoteSent(int dest, int tag, MPI_Comm comm, bool waits) {
  if (dest == MPI_PROC_NULL) return;
  const Turn turn = Sent(dest, tag, comm);
  Note(Step::kSent, turn, waits ? event::kSynchronousStep | event::kGetsBit : 0);
}

bool NoteStandard(const MessageSize& size, int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return false;
  const Turn turn = Sent(dest, tag, comm);
  const bool may_wait = MayWaitHere(size);
  Note(Step::kSent, turn, may_wait ? event::kStandardStep : 0);
  if (may_wait) NoteLeft(turn, size);
  return may_wait;
}

// MPICH 3 gives one handle to all sends that are complete. As in the trace, a send ends when its handle comes again.
bool NoteEndOf(uint64_t key) {
  Request before;
  if (!FindActive(key, &before)) return false;
  if (before.kind != Kind::kSend || !before.followed.on || before.followed.synchronous) return false;
  NoteEndOfSend(before);
  Follow(key, {}, Kind::kSend);
  return true;
}

bool NoteStandardLater(uint64_t key, const MessageSize& size, int dest, int tag, MPI_Comm comm) {
  if (key == 0) return NoteStandard(size, dest, tag, comm);
  if (dest == MPI_PROC_NULL) return false;
  const Turn turn = Sent(dest, tag, comm);
  const bool may_wait = MayNeedReceive(size);
  Note(Step::kSent, turn, may_wait ? event::kStandardStep : 0);
  if (!may_wait) return false;
  __atomic_fetch_add(&standard_sends.followed, 1, __ATOMIC_RELAXED);
  Followed followed;
  followed.turn = turn;
  followed.on = true;
  FollowSend(key, followed, size.receiver, size.bytes);
  return false;
}

void NoteNotFollowed(const MessageSize& size, int dest, int tag, MPI_Comm comm) {
  NoteSent(dest, tag, comm, false);
  if (dest == MPI_PROC_NULL || !MayNeedReceive(size)) return;
  NoteLeft({}, size);
  NoteCompleted(false);
}

bool NoteExchange(const MessageSize& size, int dest, int tag, MPI_Comm comm, int result, const MPI_Status& status) {
  const Turn turn = dest == MPI_PROC_NULL ? Turn() : Sent(dest, tag, comm);
  const bool may_wait = dest != MPI_PROC_NULL && MayWaitHere(size);
  if (dest != MPI_PROC_NULL) Note(Step::kSent, turn, may_wait ? event::kStandardStep : 0);
  NoteReceivedAs(may_wait ? Step::kArrived : Step::kReceived, result, status, comm);
  if (may_wait) NoteLeft(turn, size);
  return may_wait;
}

void NoteSentLater(uint64_t key, int dest, int tag, MPI_Comm comm) {
  if (dest == MPI_PROC_NULL) return;
  const Turn turn = Sent(dest, tag, comm);
  Note(Step::kSent, turn, event::kSynchronousStep);
  Followed followed;
  followed.turn = turn;
  followed.on = followed.synchronous = true;
  Follow(key, followed, Kind::kSend);
}

Turn LatestReceived() { return received; }

void NoteReceived(int result, const MPI_Status& status, MPI_Comm comm) {
  NoteReceivedAs(Step::kReceived, result, status, comm);
}

void NoteReceived(int, const MPI_Status& status, const Request& message) {
  received = {};
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  if (!message.followed.on) {  // probed before messages were counted
    received = ArrivedAtOnce(message.comm, status);
    return;
  }
  NoteReceive(Step::kReceived, message.followed.turn, message.followed.turn.channel, 0, MatchedFlag(message));
}

// The message's turn becomes known when it is received. Then the channel suffices to find the probe.
void NoteProbed(const MPI_Status& status, MPI_Comm comm) {
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  NoteProbe(ChannelOf(status, FindRanked(comm)));
}

void NoteMatched(uint64_t key) {
  communicates = true;
  Request message;
  if (!FindActive(key, &message) || !message.followed.on || message.followed.probed) return;
  uint32_t node = 0;
  const uint64_t entered = epik_adapter_entered(&node);
  if (entered == 0) return;
  Note(Step::kReceived, message.followed.turn, event::kProbedStep | event::kMatchedStep, entered, node);
  message.followed.shared = true;
  Follow(key, message.followed, message.kind);
}

void FollowMatched(Request* message, const MPI_Status& status) {
  if (status.MPI_SOURCE == MPI_PROC_NULL) return;
  message->followed.turn = ArrivedAtOnce(message->comm, status);
  message->followed.on = true;
  message->followed.matched = true;
  message->followed.probed = KeepProbe(message->followed.turn);
}

void FollowReceive(Request* request) {
  uint32_t node = 0;
  request->followed.begun = epik_adapter_entered(&node);
  request->followed.untimed = request->followed.begun == 0;
  request->followed.absence = AbsenceBefore(request->followed.begun);
  communicates = true;
  if (request->followed.untimed) request->followed.begun = epik_adapter_now();
  if (!request->followed.on) {
    BeginToCount();
    LookAtFreed();
    const PostedReceive posted = Posted(request->comm, request->peer, request->tag);
    request->followed.turn = posted.turn;
    request->followed.ticket = posted.ticket;
    request->followed.matched = posted.turn.is_certain;
    KeepProbe(posted.turn);
  }
  request->followed.on = true;
}

void FollowOperation(Request* request, Comm* comm, uint64_t begun) {
  if (comm == nullptr) return;
  BeginToCount();
  if (!IsPersistentOperation(request->kind)) request->followed.turn.sequence = CountCollective(comm);
  if (IsAlone(comm)) return;
  request->followed.on = true;
  request->followed.begun = begun;
  NoteOperation(Step::kBegun, *request);
}

void FollowStart(Request* request) {
  Followed& followed = request->followed;
  const uint64_t begun = followed.begun;
  followed.on = false;
  switch (request->kind) {
    case Kind::kSends: return FollowSends(request);
    case Kind::kReceives:
    case Kind::kParts: return FollowReceive(request);
    case Kind::kCollective:
    case Kind::kBarrier: return FollowOperation(request, request->comm, request->number == 0 ? 0 : begun);
    default: return;
  }
}

void NoteReady(const Request& request) {
  if (request.followed.turn.channel != 0) NoteBegunSend(request);
}

void NoteEnd(const Request& request, const MPI_Status& status, Outcome outcome) {
  if (IsReceive(request.kind)) return NoteEndOfReceive(request, status, outcome);
  switch (request.kind) {
    case Kind::kSend:
    case Kind::kSends: return NoteEndOfSend(request);
    case Kind::kOperation:
    case Kind::kCollective:
    case Kind::kBarrier: return NoteOperation(Step::kEnded, request);
    default: return;
  }
}

void NoteCancelled(uint64_t key, MPI_Request handle) {
  Request request;
  if (!FindActive(key, &request) || !request.followed.on || !IsReceive(request.kind)) return;
  int has_ended = 0;
  MPI_Status status = {};
  if (pmpi.Request_get_status(handle, &has_ended, &status) != MPI_SUCCESS) return;
  if (has_ended == 0 || !WasCancelled(status)) return;
  Unposted({request.followed.turn, request.followed.ticket});
  request.followed.turn = {};
  request.followed.ticket = 0;
  Follow(key, request.followed, request.kind);
}

void NoteFreed(const Request& request) {
  if (!request.followed.on) return;
  if (IsSend(request.kind)) {
    NoteEndOfSend(request);
    NoteCompleted(false);
  }
  if (!IsReceive(request.kind)) return;
  Freed({request.followed.turn, request.followed.ticket}, request.comm, request.peer, request.tag);
}

void BeginToCount() {
  if (EPIK_UNLIKELY(!__atomic_load_n(&counting.has_begun, __ATOMIC_ACQUIRE))) CountAllOpen();
}

uint32_t CountOperation(Comm* comm) {
  BeginToCount();
  return CountCollective(comm);
}

bool IsUncounted(const Request& request) {
  if (request.number == 0 || request.followed.on || request.comm == nullptr) return false;
  const bool counts = IsReceive(request.kind) || (IsOperation(request.kind) && !IsAlone(request.comm));
  return counts && (epik_adapter_noted() & kEpikSteps) != 0;
}

void CountNow(Request* request, const MPI_Status& status) {
  BeginToCount();
  Followed& followed = request->followed;
  if (IsOperation(request->kind)) return CountOpenOperation(*request, &followed);
  const bool by_status = request->kind != Kind::kParts && !request->untold && status.MPI_SOURCE != MPI_PROC_NULL;
  const int32_t from = by_status ? WorldRank(status.MPI_SOURCE, request->comm) : request->peer;
  FollowPosted(&followed, Posted(request->comm, from, by_status ? status.MPI_TAG : request->tag));
}

uint64_t NoteCompletedAtOnce() { return Note(Step::kCall, {0, 0, true}, 0, epik_adapter_now()); }

uint64_t NoteCompleted(bool waited) { return Note(waited ? Step::kCall : Step::kTest, {0, 0, true}, 0); }

}  // namespace epik::mpi
