// SPDX-License-Identifier: BSD-3-Clause
// Finds links while the trace is replayed. Events have the numbers of requests, teams, locks and tasks. For messages
// and collective operations, replay tells which met, by location and time, and the records at that time are looked up.
#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/library/links.h"
#include "analysis/replay/flat_map.h"
#include "analysis/replay/replay.h"
#include "archive/trace/location_reader.h"

namespace epik::library {

namespace {

using event::RecordKind;

// A record whose partners replay will name.
struct Waiting {
  int64_t ns;
  uint64_t place;
  RecordKind kind;
  bool taken;
  uint32_t communicator;
  int32_t peer;
  int64_t tag;
};

// The property that a group of events has in common, by numbers of a process.
struct Key {
  uint32_t process;
  uint32_t link;
  uint64_t number, instance;
  auto operator<=>(const Key&) const = default;
};

class Builder : public replay::Observer {
 public:
  explicit Builder(const Opened& opened) : opened_(opened), states_(opened.locations().size()) {}

  unsigned wants() const override { return kMatched | kCollectives; }
  void Matched(const replay::Message& message) override;
  void Met(const replay::Collective& collective) override;

  // Takes each event of a location, in their order.
  void Take(uint32_t location, uint64_t place, const archive::Event& event);

  std::vector<Links::Member> TakeMembers();

 private:
  struct At {
    uint32_t location;
    uint64_t place;
    int64_t ns;
    RecordKind kind;
  };
  struct State {
    std::deque<Waiting> waiting;
    bool in_parts = false;       // the send that follows is partitioned
    std::vector<Key> teams;      // innermost last
    std::optional<At> nameless;  // a wait for the end of a thread, which does not tell the thread
  };

  void Add(uint32_t group, epik_trace_link link, const At& at) {
    members_.push_back({group, at.location, at.place, at.ns, PublicKind(at.kind), static_cast<uint16_t>(link)});
  }
  void AddTo(const Key& key, const At& at, bool is_last = false);
  void TakeRequest(const Key& key, const At& at, bool begins);
  void TakeTeam(const At& at, uint32_t process, const archive::Event& event);
  void TakeThread(const At& at, uint32_t process, uint64_t birth);
  void TakeWorker(const At& at, uint32_t process, const archive::Event& event);
  void Wait(const At& at, uint32_t process, const archive::Event& event);
  void TakeReady(const Key& request, const At& at);
  void DropSend(uint32_t location);
  template <typename Fits>
  const Waiting* Find(uint32_t location, int64_t ns, const Fits& fits);

  const Opened& opened_;
  std::vector<State> states_;
  std::map<Key, uint32_t> groups_;
  std::map<Key, Waiting> parted_;  // partitioned sends, by request, until their last part is ready
  uint32_t next_group_ = 0;
  std::vector<Links::Member> members_;
};

void Builder::AddTo(const Key& key, const At& at, bool is_last) {
  const auto [found, is_new] = groups_.try_emplace(key, next_group_);
  next_group_ += is_new ? 1 : 0;
  Add(found->second, static_cast<epik_trace_link>(key.link), at);
  if (is_last) groups_.erase(found);
}

// A request that has ended may give its number to another one.
void Builder::TakeRequest(const Key& key, const At& at, bool begins) {
  if (key.number == 0) return;
  if (begins) groups_.erase(key);
  if (begins || groups_.count(key) != 0) AddTo(key, at, !begins);
}

void Builder::TakeTeam(const At& at, uint32_t process, const archive::Event& event) {
  State& state = states_[at.location];
  const uint64_t self = opened_.locations()[at.location].number;
  const auto key = [&](uint64_t leader, uint64_t instance) {
    return Key{process, EPIK_TRACE_LINK_TEAM, leader, instance};
  };
  if (event.kind == RecordKind::kFork) {
    AddTo(key(self, event.field[1]), at);
  } else if (event.kind == RecordKind::kJoin) {
    AddTo(key(self, event.field[0]), at);
  } else if (event.kind == RecordKind::kTeamBegin) {
    state.teams.push_back(key(event.field[0], event.field[1]));
    AddTo(state.teams.back(), at);
  } else {
    // A part that was cut short has no end.
    while (!state.teams.empty() && state.teams.back().instance != event.field[0]) state.teams.pop_back();
    if (state.teams.empty()) return;
    AddTo(state.teams.back(), at);
    state.teams.pop_back();
  }
}

// A wait that begins before its thread is measured does not tell the thread. The end of the wait does.
void Builder::TakeThread(const At& at, uint32_t process, uint64_t birth) {
  std::optional<At>& nameless = states_[at.location].nameless;
  if (at.kind == RecordKind::kJoinWanted) nameless.reset();
  if (birth == 0) {
    if (at.kind == RecordKind::kJoinWanted) nameless = at;
    return;
  }
  const Key key{process, EPIK_TRACE_LINK_THREAD, birth, 0};
  if (at.kind == RecordKind::kJoinGot && nameless) AddTo(key, *std::exchange(nameless, std::nullopt));
  AddTo(key, at);
}

void Builder::TakeWorker(const At& at, uint32_t process, const archive::Event& event) {
  switch (event.kind) {
    case RecordKind::kFork:
    case RecordKind::kJoin:
    case RecordKind::kTeamBegin:
    case RecordKind::kTeamEnd: return TakeTeam(at, process, event);
    case RecordKind::kLockRelease:
    case RecordKind::kMutexReleased:
      return AddTo({process, EPIK_TRACE_LINK_LOCK, event.field[0], event.field[1] + 1}, at);
    case RecordKind::kLockAcquire:
    case RecordKind::kMutexTaken: return AddTo({process, EPIK_TRACE_LINK_LOCK, event.field[0], event.field[1]}, at);
    case RecordKind::kTaskCreate:
    case RecordKind::kTaskDetached:
    case RecordKind::kTaskBegin:
    case RecordKind::kTaskSwitch:
    case RecordKind::kTaskEnd: return AddTo({process, EPIK_TRACE_LINK_TASK, event.field[0], 0}, at);
    case RecordKind::kThreadCreate:
    case RecordKind::kThreadBegin:
    case RecordKind::kThreadEnd:
    case RecordKind::kJoinWanted:
    case RecordKind::kJoinGot: return TakeThread(at, process, event.field[0]);
    default: return;
  }
}

void Builder::Wait(const At& at, uint32_t process, const archive::Event& event) {
  const auto& communicators = opened_.world().processes[process].communicators;
  const bool is_message = at.kind == RecordKind::kSend || at.kind == RecordKind::kSendBegin ||
                          at.kind == RecordKind::kReceive || at.kind == RecordKind::kReceiveEnd;
  Waiting waiting{at.ns, at.place, at.kind, false, replay::kNone, -1, 0};
  if (is_message) {
    waiting.peer = static_cast<int32_t>(event.field[0]);
    waiting.tag = static_cast<int64_t>(event.field[1]);
    waiting.communicator = communicators.At(event.field[2]).number;
  } else if (at.kind != RecordKind::kCollectiveBegin) {
    waiting.communicator = communicators.At(event.field[1]).number;
  }
  if (std::exchange(states_[at.location].in_parts, false) && at.kind == RecordKind::kSendBegin) {
    parted_[{process, EPIK_TRACE_LINK_REQUEST, event.field[4], 0}] = waiting;
  } else {
    states_[at.location].waiting.push_back(waiting);
  }
}

// The message of a partitioned send goes when its last part is ready.
void Builder::TakeReady(const Key& request, const At& at) {
  if (groups_.count(request) != 0) AddTo(request, at);
  const auto found = parted_.find(request);
  if (found == parted_.end()) return;
  Waiting waiting = found->second;
  parted_.erase(found);
  waiting.ns = at.ns;
  waiting.place = at.place;
  waiting.kind = at.kind;
  states_[at.location].waiting.push_back(waiting);
}

// MPI has refused the send that the location logged last.
void Builder::DropSend(uint32_t location) {
  std::deque<Waiting>& waiting = states_[location].waiting;
  const bool is_send =
      !waiting.empty() && (waiting.back().kind == RecordKind::kSend || waiting.back().kind == RecordKind::kSendBegin);
  if (is_send) waiting.pop_back();
}

void Builder::Take(uint32_t location, uint64_t place, const archive::Event& event) {
  if (event.kind == RecordKind::kEnter || event.kind == RecordKind::kExit) return;
  const uint32_t process = opened_.locations()[location].process;
  const At at{location, place, opened_.ProcessAt(location).clock.Ns(event.time), event.kind};
  const auto request = [&](uint64_t number) { return Key{process, EPIK_TRACE_LINK_REQUEST, number, 0}; };
  switch (event.kind) {
    case RecordKind::kSendMode:
      states_[location].in_parts = event.field[0] == static_cast<uint64_t>(event::SendMode::kPartitioned);
      return;
    case RecordKind::kSendBegin: TakeRequest(request(event.field[4]), at, true); break;
    case RecordKind::kSendReady: return TakeReady(request(event.field[0]), at);
    case RecordKind::kReceiveEnd: TakeRequest(request(event.field[4]), at, false); break;
    case RecordKind::kReceivePosted: return TakeRequest(request(event.field[3]), at, true);
    case RecordKind::kReceiveBegin: return TakeRequest(request(event.field[0]), at, true);
    case RecordKind::kSendRefused:
      if (parted_.erase(request(event.field[0])) == 0) DropSend(location);
      return TakeRequest(request(event.field[0]), at, false);
    case RecordKind::kSendEnd:
    case RecordKind::kRequestFreed:
    case RecordKind::kRequestCancelled: return TakeRequest(request(event.field[0]), at, false);
    case RecordKind::kCollectivePosted: TakeRequest(request(event.field[5]), at, true); break;
    case RecordKind::kCollectiveBegin: break;
    case RecordKind::kCollectiveEnd: TakeRequest(request(event.field[5]), at, false); break;
    case RecordKind::kSend:
    case RecordKind::kReceive: break;
    default: return TakeWorker(at, process, event);
  }
  Wait(at, process, event);
}

// The first record at this time that fits and has no group yet.
template <typename Fits>
const Waiting* Builder::Find(uint32_t location, int64_t ns, const Fits& fits) {
  if (location >= states_.size()) return nullptr;
  std::deque<Waiting>& waiting = states_[location].waiting;
  while (!waiting.empty() && waiting.front().taken) waiting.pop_front();
  auto at = std::partition_point(waiting.begin(), waiting.end(), [&](const Waiting& one) { return one.ns < ns; });
  for (; at != waiting.end() && at->ns == ns; ++at) {
    if (at->taken || !fits(*at)) continue;
    at->taken = true;
    return &*at;
  }
  return nullptr;
}

void Builder::Matched(const replay::Message& message) {
  const auto fits = [&](const Waiting& one, bool sends, uint32_t other) {
    const bool is_send =
        one.kind == RecordKind::kSend || one.kind == RecordKind::kSendBegin || one.kind == RecordKind::kSendReady;
    const bool is_receive = one.kind == RecordKind::kReceive || one.kind == RecordKind::kReceiveEnd;
    return (sends ? is_send : is_receive) && one.communicator == message.communicator && one.tag == message.tag &&
           (other == replay::kNone || one.peer == opened_.locations()[other].rank);
  };
  const Waiting* send = Find(message.send.location, message.send.at,
                             [&](const Waiting& one) { return fits(one, true, message.receive.location); });
  if (send == nullptr) return;
  const At from{message.send.location, send->place, send->ns, send->kind};
  const Waiting* receive = Find(message.receive.location, message.receive.at,
                                [&](const Waiting& one) { return fits(one, false, message.send.location); });
  if (receive == nullptr) return;
  Add(next_group_, EPIK_TRACE_LINK_MESSAGE, from);
  Add(next_group_++, EPIK_TRACE_LINK_MESSAGE, {message.receive.location, receive->place, receive->ns, receive->kind});
}

void Builder::Met(const replay::Collective& collective) {
  const auto add = [&](uint32_t location, int64_t ns, bool begins) {
    const Waiting* found = Find(location, ns, [&](const Waiting& one) {
      if (one.kind == RecordKind::kCollectiveEnd) return !begins && one.communicator == collective.communicator;
      return begins && (one.kind == RecordKind::kCollectiveBegin || one.communicator == collective.communicator) &&
             (one.kind == RecordKind::kCollectiveBegin || one.kind == RecordKind::kCollectivePosted);
    });
    if (found != nullptr) {
      Add(next_group_, EPIK_TRACE_LINK_COLLECTIVE, {location, found->place, found->ns, found->kind});
    }
  };
  for (const replay::Member& member : collective.members) {
    if (!member.there || member.location == replay::kNone) continue;
    if (member.knows_begin) add(member.location, member.begin, true);
    add(member.location, member.end, false);
  }
  ++next_group_;
}

// Leaves out groups of a single event.
std::vector<Links::Member> Builder::TakeMembers() {
  std::vector<uint32_t> sizes(next_group_);
  for (const Links::Member& member : members_) ++sizes[member.group];
  std::erase_if(members_, [&](const Links::Member& member) { return sizes[member.group] < 2; });
  return std::move(members_);
}

class Source : public replay::EventSource {
 public:
  Source(const Opened& opened, uint32_t location, Builder* builder)
      : location_(location),
        builder_(builder),
        reader_(&opened.FileAt(location), opened.locations()[location].number,
                [&opened, p = opened.locations()[location].process](uint32_t node) {
                  return opened.ParentOfNode(p, node);
                }) {}

  bool Next(archive::Event* event) override {
    if (!reader_.Next(event)) return false;
    builder_->Take(location_, reader_.place(), *event);
    return true;
  }

 private:
  uint32_t location_;
  Builder* builder_;
  archive::LocationReader reader_;
};

}  // namespace

Links FindLinks(const Opened& opened) {
  Builder builder(opened);
  std::vector<std::unique_ptr<replay::EventSource>> sources;
  for (uint32_t l = 0; l < opened.locations().size(); ++l) {
    sources.push_back(std::make_unique<Source>(opened, l, &builder));
  }
  replay::MeasuredTime time(&opened.world());
  replay::Replay replay(&opened.world(), std::move(sources), &time, {&builder});
  replay.Run();
  return Links(opened.locations().size(), builder.TakeMembers());
}

}  // namespace epik::library
