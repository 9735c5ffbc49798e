// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/channels.h"

#include "adapters/mpi/hash_table.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {

namespace {

using base::Locked;

// A program that uses a new tag for each message leaves a channel behind each time: beyond these, nothing is certain.
constexpr uint32_t kMostChannels = 1u << 18;
constexpr uint32_t kMostOpen = 1024;         // receives without a turn
constexpr uint32_t kNoPlace = ~uint32_t{0};  // the ticket of a receive for which there was no room
constexpr uint64_t kOutOfStep = uint64_t{1} << 63;

struct Channel {
  uint64_t key = 0;
  uint64_t count = 0;  // messages so far; with kOutOfStep, nobody knows
};

class Channels {
 public:
  Turn Next(uint64_t key) {
    Channel* channel = table_.Find(key);
    if (channel == nullptr && channels_ < kMostChannels) {
      channel = table_.Add(key);
      ++channels_;
    }
    if (channel == nullptr) return {key, 0, false};
    if ((channel->count & kOutOfStep) != 0) return {key, 0, false};
    return {key, static_cast<uint32_t>(++channel->count), true};
  }
  void TakeBack(const Turn& turn) {
    Channel* channel = turn.is_certain ? table_.Find(turn.channel) : nullptr;
    if (channel == nullptr) return;
    if (channel->count == turn.sequence) {
      --channel->count;
    } else {
      channel->count |= kOutOfStep;
      __atomic_store_n(&is_out_of_step_, true, __ATOMIC_RELAXED);
    }
  }
  // Whether any channel is.
  bool IsOutOfStep() const { return __atomic_load_n(&is_out_of_step_, __ATOMIC_RELAXED); }
  bool IsOutOfStep(const Turn& turn) {
    const Channel* channel = table_.Find(turn.channel);
    return channel != nullptr && (channel->count & kOutOfStep) != 0;
  }

 private:
  HashTable<Channel> table_;
  uint32_t channels_ = 0;
  bool is_out_of_step_ = false;
};

// A receive whose turn was not known when it was posted.
struct OpenReceive {
  uint32_t ticket = 0;
  int32_t from = 0, tag = 0;  // -1: any, so far
  uint64_t comm = 0;
  Turn turn;
  bool has_turn = false;
  bool is_over = false;

  bool MayGet(uint64_t of, int32_t source, int32_t with) const {
    return !has_turn && comm == of && (from < 0 || from == source || source < 0) &&
           (tag < 0 || tag == with || with < 0);
  }
};

struct Ends {
  base::SpinLock lock;
  Channels sends;
  Channels receives;
  OpenReceive open[kMostOpen] = {};  // in the order of posting
  uint32_t opens = 0;
  uint32_t tickets = 0;
  // Some receives have no place. Until all that are open are over, no turn is certain; their messages are counted.
  bool is_full = false;
  uint32_t without_place = 0;
};
constinit Ends ends;

int32_t Own() {
  const Comm* world = FindKnown(World());
  return world == nullptr ? 0 : world->rank;
}

uint64_t KeyOf(uint64_t comm, int32_t from, int32_t to, int32_t tag) {
  const uint64_t pair = static_cast<uint64_t>(static_cast<uint32_t>(from)) << 32 | static_cast<uint32_t>(to);
  const uint64_t key = Mix(Mix(comm, pair), static_cast<uint32_t>(tag));
  return key == 0 ? 1 : key;
}

bool MayBeBefore(uint32_t end, uint64_t comm, int32_t from, int32_t tag) {
  for (uint32_t i = 0; i < end; ++i) {
    if (ends.open[i].MayGet(comm, from, tag)) return true;
  }
  return false;
}

// Those that nothing before them stands in the way of any more get their turns.
void GiveTurns() {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < ends.opens; ++i) {
    OpenReceive open = ends.open[i];
    const bool is_one = open.from >= 0 && open.tag >= 0;
    if (!open.has_turn && is_one && !MayBeBefore(kept, open.comm, open.from, open.tag)) {
      open.turn = ends.receives.Next(KeyOf(open.comm, open.from, Own(), open.tag));
      open.has_turn = true;
    }
    if (!open.has_turn || !open.is_over) ends.open[kept++] = open;
  }
  ends.opens = kept;
}

OpenReceive* FindOpen(uint32_t ticket) {
  for (uint32_t i = 0; ticket != 0 && i < ends.opens; ++i) {
    if (ends.open[i].ticket == ticket) return &ends.open[i];
  }
  return nullptr;
}

PostedReceive PostWithoutPlace() {
  ends.is_full = true;
  ++ends.without_place;
  return {{}, kNoPlace};
}

void LeaveWithoutPlace() {
  if (ends.without_place > 0) --ends.without_place;
}

Turn Uncertain(const Turn& turn) { return {turn.channel, 0, false}; }

// Once nothing is open, the counts of all channels are those of the senders again.
void EmptyIfOver() {
  if (ends.is_full && ends.without_place == 0 && ends.opens == 0) ends.is_full = false;
}

PostedReceive Post(const Comm* comm, int32_t from, int32_t tag) {
  const bool is_one = from >= 0 && tag >= 0;
  if (ends.is_full) return PostWithoutPlace();
  if (is_one && !MayBeBefore(ends.opens, comm->id, from, tag)) {
    return {ends.receives.Next(KeyOf(comm->id, from, Own(), tag)), 0};
  }
  if (ends.opens == kMostOpen) return PostWithoutPlace();
  ends.open[ends.opens++] = {++ends.tickets, from, tag, comm->id, {}, false, false};
  return {{}, ends.tickets};
}

// One posted before it may have been cancelled meanwhile, so that it got another message than its own.
Turn StillCertain(const Turn& turn) {
  if (!ends.receives.IsOutOfStep() || !turn.is_certain) return turn;
  const Locked lock(ends.lock);
  return ends.receives.IsOutOfStep(turn) ? Uncertain(turn) : turn;
}

}  // namespace

Turn SentOn(const Comm* comm, int32_t to, int32_t tag) {
  if (comm == nullptr || to < 0) return {};
  const Locked lock(ends.lock);
  return ends.sends.Next(KeyOf(comm->id, Own(), to, tag));
}

void Unsent(const Turn& turn) {
  const Locked lock(ends.lock);
  ends.sends.TakeBack(turn);
}

PostedReceive Posted(const Comm* comm, int32_t from, int32_t tag) {
  if (comm == nullptr) return {};
  const Locked lock(ends.lock);
  return Post(comm, from, tag);
}

Turn Arrived(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag) {
  if (posted.ticket == 0 || comm == nullptr) return StillCertain(posted.turn);
  const Locked lock(ends.lock);
  if (posted.ticket == kNoPlace) {
    LeaveWithoutPlace();
    const Turn taken = from < 0 ? Turn() : ends.receives.Next(KeyOf(comm->id, from, Own(), tag));
    EmptyIfOver();
    return Uncertain(taken);
  }
  OpenReceive* open = FindOpen(posted.ticket);
  if (open == nullptr) return {};
  open->is_over = true;
  Turn turn = open->turn;
  if (turn.is_certain && ends.receives.IsOutOfStep(turn)) turn = Uncertain(turn);
  if (from < 0) {  // a process of another job
    open->has_turn = true;
  } else if (!open->has_turn) {
    open->from = from;
    open->tag = tag;
    // It stays in the list only where it has to.
    const auto place = static_cast<uint32_t>(open - ends.open);
    if (!MayBeBefore(place, open->comm, from, tag)) {
      turn = open->turn = ends.receives.Next(KeyOf(open->comm, from, Own(), tag));
      open->has_turn = true;
    }
  }
  if (ends.is_full) turn = Uncertain(turn);
  GiveTurns();
  EmptyIfOver();
  return turn;
}

uint64_t ChannelFrom(const Comm* comm, int32_t from, int32_t tag) {
  return comm == nullptr || from < 0 ? 0 : KeyOf(comm->id, from, Own(), tag);
}

void Unposted(const PostedReceive& posted) {
  const Locked lock(ends.lock);
  if (posted.ticket == 0) return ends.receives.TakeBack(posted.turn);
  if (posted.ticket == kNoPlace) {
    LeaveWithoutPlace();
    return EmptyIfOver();
  }
  OpenReceive* open = FindOpen(posted.ticket);
  if (open == nullptr) return;
  if (open->has_turn) {
    ends.receives.TakeBack(open->turn);
  } else {
    open->has_turn = true;  // of nothing
  }
  open->is_over = true;
  GiveTurns();
  EmptyIfOver();
}

}  // namespace epik::mpi
