// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/channels.h"

#include <algorithm>

#include "adapters/mpi/hash_table.h"
#include "flavour.h"
#include "runtime/base/spinlock.h"

namespace epik::mpi {

namespace {

using base::Locked;

// A program that uses a new tag for each message makes a new channel each time. Messages of channels beyond these are
// uncertain.
constexpr uint32_t kMostChannels = 1u << 18;
constexpr uint32_t kMostOpen = 1024;         // receives without a turn
constexpr uint32_t kNoPlace = ~uint32_t{0};  // the ticket of a receive for which there was no room
constexpr uint32_t kLatestCancels = 256;
constexpr uint32_t kOutOfStep = ~uint32_t{0};

struct Channel {
  uint64_t key = 0;
  uint32_t count = 0;  // messages so far
  // The latest cancel of a receive in the middle of the channel, from 1; kOutOfStep: the two ends no longer count the
  // same messages.
  uint32_t cancel = 0;
};

Turn Uncertain(const Turn& turn) { return {turn.channel, 0, false}; }

class Channels {
 public:
  Turn Next(uint64_t key) {
    Channel* channel = table_.Find(key);
    if (channel == nullptr && channels_ < kMostChannels) {
      channel = table_.Add(key);
      ++channels_;
    }
    if (channel == nullptr || is_out_of_step_ || channel->cancel == kOutOfStep) return {key, 0, false};
    return {key, ++channel->count, true, cancels_ & kCancelsMask};
  }
  // If the send is the channel's latest, its number is used again. Otherwise the other end already knows later messages
  // by their turns.
  void TakeBackSend(const Turn& turn) {
    Channel* channel = turn.is_certain ? table_.Find(turn.channel) : nullptr;
    is_out_of_step_ = is_out_of_step_ || turn.channel == 0;
    if (channel == nullptr) return;
    if (channel->count == turn.sequence) {
      --channel->count;
    } else {
      channel->cancel = kOutOfStep;
    }
  }
  // Receives of the channel that were posted after this one get the message before the one they had.
  void TakeBackReceive(const Turn& posted) {
    const Turn turn = Now(posted);
    Channel* channel = posted.is_certain ? table_.Find(turn.channel) : nullptr;
    if (channel == nullptr || (turn.is_certain && channel->count-- == turn.sequence)) return;
    latest_[cancels_ % kLatestCancels] = {turn.channel, turn.sequence};
    const uint32_t cancels = cancels_ + 1;
    __atomic_store_n(&cancels_, cancels, __ATOMIC_RELAXED);
    channel->cancel = turn.is_certain ? cancels : kOutOfStep;
  }
  bool HasCancelsSince(const Turn& turn) const {
    return ((__atomic_load_n(&cancels_, __ATOMIC_RELAXED) ^ turn.cancels) & kCancelsMask) != 0;
  }
  // The turn of a receive, corrected by the cancels since it was posted. It is uncertain if there were too many.
  Turn Now(const Turn& turn) {
    const uint32_t since = (cancels_ - turn.cancels) & kCancelsMask;
    const Channel* channel = turn.is_certain && since != 0 ? table_.Find(turn.channel) : nullptr;
    if (channel == nullptr) return turn;
    if (channel->cancel != kOutOfStep && ((cancels_ - channel->cancel) & kCancelsMask) >= since) return turn;
    if (channel->cancel == kOutOfStep || since > kLatestCancels) return Uncertain(turn);
    Turn now = turn;
    now.cancels = cancels_ & kCancelsMask;
    for (uint32_t i = cancels_ - since; i != cancels_; ++i) {
      const Cancel& cancel = latest_[i % kLatestCancels];
      if (cancel.channel == turn.channel && cancel.sequence < now.sequence) --now.sequence;
    }
    return now;
  }

 private:
  static constexpr uint32_t kCancelsMask = ~uint32_t{0} >> 1;
  struct Cancel {
    uint64_t channel;
    uint32_t sequence;
  };

  HashTable<Channel> table_;
  uint32_t channels_ = 0;
  bool is_out_of_step_ = false;  // the two ends of every channel may count different messages
  uint32_t cancels_ = 0;
  Cancel latest_[kLatestCancels] = {};
};

// The messages that a receive accepts.
struct Accepted {
  uint64_t comm = 0;
  int32_t from = 0, tag = 0;  // -1: any

  // Whether both accept some message.
  bool Meets(const Accepted& other) const {
    return comm == other.comm && (from < 0 || from == other.from || other.from < 0) &&
           (tag < 0 || tag == other.tag || other.tag < 0);
  }
  bool IsOneChannel() const { return from >= 0 && tag >= 0; }
  bool operator==(const Accepted&) const = default;
};

// A receive whose turn was not known when it was posted.
struct OpenReceive {
  uint32_t ticket = 0;
  Accepted accepted;  // so far
  Turn turn;
  bool has_turn = false;
  bool is_over = false;

  bool MayGet(const Accepted& messages) const { return !has_turn && accepted.Meets(messages); }
  // EPIK knows the channel of its message, but not yet the message's place in the channel.
  bool IsBlocked() const { return !has_turn && accepted.IsOneChannel(); }
  bool IsDone() const { return has_turn && is_over; }
};

// Holds the receives that are not done, in the order of posting. Some that are done stay until all before them are.
class OpenReceives {
 public:
  bool IsEmpty() const { return live_ == 0; }
  bool IsFull() const { return live_ == kMostOpen; }

  // Returns the ticket of the receive. REQUIRES: the list is not full.
  uint32_t Add(const Accepted& messages) {
    if (end_ == kPlaces) Compact();
    do ++tickets_;
    while (tickets_ == 0 || tickets_ == kNoPlace);
    all_[end_] = {tickets_, messages, {}, false, false};
    ++live_;
    blocked_ += all_[end_++].IsBlocked() ? 1 : 0;
    return tickets_;
  }
  // Tickets ascend, but begin anew after very many.
  OpenReceive* Find(uint32_t ticket) {
    uint32_t low = first_, high = end_;
    while (low < high) {
      const uint32_t middle = low + (high - low) / 2;
      (all_[middle].ticket - all_[first_].ticket < ticket - all_[first_].ticket ? low = middle + 1 : high = middle);
    }
    return low < end_ && all_[low].ticket == ticket ? &all_[low] : nullptr;
  }
  // Tells whether a receive before `end` may get such a message. Null stands for the end of the list.
  bool MayBeBefore(const OpenReceive* end, const Accepted& messages) const {
    const OpenReceive* const last = end != nullptr ? end : all_ + end_;
    for (const OpenReceive* open = all_ + first_; open < last; ++open) {
      if (open->MayGet(messages)) return true;
    }
    return false;
  }
  // Tells whether `meets` holds for the messages that some open receive accepts.
  template <typename Meets>
  bool AnyOpen(const Meets& meets) const {
    for (const OpenReceive* open = all_ + first_; open < all_ + end_; ++open) {
      if (!open->IsDone() && meets(open->accepted)) return true;
    }
    return false;
  }
  // The receive has got a message with this source and tag.
  void Learn(OpenReceive* open, int32_t from, int32_t tag) {
    blocked_ -= open->IsBlocked() ? 1 : 0;
    open->accepted.from = from;
    open->accepted.tag = tag;
    blocked_ += open->IsBlocked() ? 1 : 0;
  }
  void Give(OpenReceive* open, const Turn& turn) {
    blocked_ -= open->IsBlocked() ? 1 : 0;
    live_ -= !open->has_turn && open->is_over ? 1 : 0;
    open->turn = turn;
    open->has_turn = true;
  }
  void End(OpenReceive* open) {
    live_ -= !open->is_over && open->has_turn ? 1 : 0;
    open->is_over = true;
  }
  // Gives a turn to each receive whose message no receive before it may get any more.
  template <typename TurnOf>
  void Settle(const TurnOf& turn_of) {
    for (OpenReceive* open = all_ + first_; blocked_ > 0 && open < all_ + end_; ++open) {
      if (open->IsBlocked() && !MayBeBefore(open, open->accepted)) Give(open, turn_of(*open));
    }
    while (first_ < end_ && all_[first_].IsDone()) ++first_;
    if (first_ == end_) first_ = end_ = 0;
  }

 private:
  static constexpr uint32_t kPlaces = 2 * kMostOpen;

  void Compact() {
    uint32_t kept = 0;
    for (uint32_t i = first_; i < end_; ++i) {
      if (!all_[i].IsDone()) all_[kept++] = all_[i];
    }
    first_ = 0;
    end_ = kept;
  }

  OpenReceive all_[kPlaces] = {};
  uint32_t first_ = 0, end_ = 0;
  uint32_t live_ = 0;     // receives that are not done
  uint32_t blocked_ = 0;  // of these, the blocked ones
  uint32_t tickets_ = 0;
};

// Receives without a place in the list. EPIK counts their messages, but does not know which messages they are. So a
// message that they accept is uncertain until all open receives that accept such messages are over.
class Placeless {
 public:
  bool IsNone() const { return kinds_ == 0; }
  uint32_t open() const { return open_; }
  bool MayGet(const Accepted& messages) const {
    const auto meets = [&](const Accepted& kind) { return kind.Meets(messages); };
    return accepts_all_ || std::any_of(accepted_, accepted_ + kinds_, meets);
  }
  void Add(const Accepted& messages) {
    ++open_;
    if (std::find(accepted_, accepted_ + kinds_, messages) != accepted_ + kinds_) return;
    if (kinds_ == kKinds) {
      accepts_all_ = true;
    } else {
      accepted_[kinds_++] = messages;
    }
  }
  void Leave() { open_ -= open_ > 0 ? 1 : 0; }
  void Forget() {
    kinds_ = 0;
    accepts_all_ = false;
  }

 private:
  static constexpr uint32_t kKinds = 16;

  Accepted accepted_[kKinds];
  uint32_t kinds_ = 0;
  bool accepts_all_ = false;  // there are more kinds
  uint32_t open_ = 0;
};

struct Ends {
  base::SpinLock lock;
  Channels sends;
  Channels receives;
  OpenReceives open;
  Placeless placeless;
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

Turn NextOf(uint64_t comm, int32_t from, int32_t tag) { return ends.receives.Next(KeyOf(comm, from, Own(), tag)); }

Turn NextOf(const Accepted& channel) { return NextOf(channel.comm, channel.from, channel.tag); }

void Settle() {
  ends.open.Settle([](const OpenReceive& open) { return NextOf(open.accepted); });
}

PostedReceive PostWithoutPlace(const Accepted& messages) {
  ends.placeless.Add(messages);
  return {{}, kNoPlace};
}

// When no receive is open that accepts such messages, both ends of their channels have counted the same messages again.
void ForgetPlacelessIfOver() {
  if (ends.placeless.IsNone() || ends.placeless.open() != 0) return;
  const auto meets = [](const Accepted& messages) { return ends.placeless.MayGet(messages); };
  if (!ends.open.AnyOpen(meets)) ends.placeless.Forget();
}

PostedReceive Post(const Accepted& messages) {
  if (ends.placeless.MayGet(messages)) return PostWithoutPlace(messages);
  if (messages.IsOneChannel() && !ends.open.MayBeBefore(nullptr, messages)) return {NextOf(messages), 0};
  if (ends.open.IsFull()) return PostWithoutPlace(messages);
  return {{}, ends.open.Add(messages)};
}

// A receive posted before it may have been cancelled meanwhile; then this one got the message before.
Turn Now(const Turn& turn) {
  if (!turn.is_certain || !ends.receives.HasCancelsSince(turn)) return turn;
  const Locked lock(ends.lock);
  return ends.receives.Now(turn);
}

}  // namespace

Turn SentOn(const Comm* comm, int32_t to, int32_t tag) {
  if (comm == nullptr || to < 0) return {};
  const Locked lock(ends.lock);
  return ends.sends.Next(KeyOf(comm->id, Own(), to, tag));
}

void Unsent(const Turn& turn) {
  const Locked lock(ends.lock);
  ends.sends.TakeBackSend(turn);
}

PostedReceive Posted(const Comm* comm, int32_t from, int32_t tag) {
  if (comm == nullptr) return {};
  const Locked lock(ends.lock);
  return Post({comm->id, from, tag});
}

Turn Arrived(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag) {
  if (posted.ticket == 0 || comm == nullptr) return Now(posted.turn);
  const Locked lock(ends.lock);
  if (posted.ticket == kNoPlace) {
    ends.placeless.Leave();
    const Turn taken = from < 0 ? Turn() : NextOf(comm->id, from, tag);
    ForgetPlacelessIfOver();
    return Uncertain(taken);
  }
  OpenReceive* open = ends.open.Find(posted.ticket);
  if (open == nullptr) return {};
  ends.open.End(open);
  Turn turn = ends.receives.Now(open->turn);
  if (from < 0) {  // a process of another job
    ends.open.Give(open, turn);
  } else if (!open->has_turn) {
    ends.open.Learn(open, from, tag);
    if (!ends.open.MayBeBefore(open, open->accepted)) {
      turn = NextOf(open->accepted);
      ends.open.Give(open, turn);
    }
  }
  if (ends.placeless.MayGet({comm->id, from, tag})) turn = Uncertain(turn);
  Settle();
  ForgetPlacelessIfOver();
  return turn;
}

uint64_t ChannelFrom(const Comm* comm, int32_t from, int32_t tag) {
  return comm == nullptr || from < 0 ? 0 : KeyOf(comm->id, from, Own(), tag);
}

void Freed(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag) {
  if (posted.ticket == 0 || comm == nullptr || from < 0 || tag < 0) return;
  const Locked lock(ends.lock);
  if (posted.ticket == kNoPlace) {
    ends.placeless.Leave();
    NextOf(comm->id, from, tag);
  } else if (OpenReceive* open = ends.open.Find(posted.ticket)) {
    ends.open.End(open);
    Settle();
  }
  ForgetPlacelessIfOver();
}

void Unposted(const PostedReceive& posted) {
  const Locked lock(ends.lock);
  if (posted.ticket == 0) return ends.receives.TakeBackReceive(posted.turn);
  if (posted.ticket == kNoPlace) {
    ends.placeless.Leave();
    return ForgetPlacelessIfOver();
  }
  OpenReceive* open = ends.open.Find(posted.ticket);
  if (open == nullptr) return;
  if (open->has_turn) {
    ends.receives.TakeBackReceive(open->turn);
  } else {
    ends.open.Give(open, {});  // of nothing
  }
  ends.open.End(open);
  Settle();
  ForgetPlacelessIfOver();
}

}  // namespace epik::mpi
