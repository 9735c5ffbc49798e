// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/builder.h"

#include <algorithm>
#include <utility>

#include "analysis/replay/stretches.h"

namespace epik::timeline {
namespace {

constexpr size_t kMostBins = size_t{1} << 22;  // of all locations together: some 40 MB
constexpr size_t kMostBinsOfOne = size_t{1} << 16;
constexpr size_t kLeastBins = 256;
constexpr uint64_t kEventsOfBin = 512;  // finer bins would take longer to read than their events
constexpr size_t kMostMessages = 400'000;
constexpr size_t kMostWaits = 200'000;
constexpr size_t kMostMeetings = 100'000;
constexpr size_t kMostLongCalls = 2'000'000;  // of all locations together

constexpr int kEarlyReduce = 4, kLateReceiver = 28, kLateProgress = 29, kEarlyReduceLast = 30;

int PatternOf(const replay::Collective& collective) {
  using replay::Role;
  switch (collective.operation.role) {
    case Role::kBarrier: return 1;
    case Role::kOneToAll: return 3;
    case Role::kAllToOne: return kEarlyReduce;
    case Role::kScan: return 5;
    case Role::kFinalize: return 6;
    case Role::kInit: return 7;
    case Role::kMakeComm:
    case Role::kFreeComm: return 31;
    case Role::kFile: return 32;
    case Role::kFileData: return 33;
    case Role::kMakeWindow: return 34;
    case Role::kFreeWindow: return 35;
    default: return 2;
  }
}

int PatternOfBarrier(replay::Role role) {
  constexpr int kExplicit = 8, kImplicit = 9, kThreads = 17;
  if (role == replay::Role::kThreadBarrier) return kThreads;
  return role == replay::Role::kExplicitBarrier ? kExplicit : kImplicit;
}

}  // namespace

Resolution ChooseResolution(int64_t from, int64_t to, uint64_t events, size_t locations) {
  const size_t many = std::max<size_t>(locations, 1);
  const size_t room = std::clamp(kMostBins / many, kLeastBins, kMostBinsOfOne);
  const auto wanted = static_cast<size_t>(std::min<uint64_t>(events / many / kEventsOfBin, kMostBinsOfOne));
  const size_t most = std::clamp(wanted, std::min<size_t>(1024, room), room);
  Resolution resolution;
  while (static_cast<uint64_t>(to - from) / static_cast<uint64_t>(resolution.width) >= most) resolution.width *= 2;
  resolution.bins = static_cast<size_t>((to - from) / resolution.width) + 1;
  return resolution;
}

Builder::Builder(const replay::World* world, size_t columns, int64_t from, int64_t to, uint64_t events)
    : world_(world) {
  timeline_.from = from;
  timeline_.to = to;
  timeline_.events = events;
  timeline_.locations.resize(columns);
  timeline_.long_calls.resize(columns);
  long_calls_.resize(world->locations.size());
  last_call_.resize(world->locations.size());
  for (auto& calls : last_call_) calls.fill(INT64_MIN);
  const Resolution resolution = ChooseResolution(from, to, events, world->locations.size());
  bins_.reserve(world->locations.size());
  for (size_t l = 0; l < world->locations.size(); ++l) bins_.emplace_back(from, resolution.width, resolution.bins);
}

size_t Builder::MostLongCalls() const { return kMostLongCalls / std::max<size_t>(long_calls_.size(), 1); }

void Builder::Matched(const replay::Message& message) {
  const uint32_t from = message.send.location;
  const uint32_t to = message.receive.location;
  if (from >= bins_.size() || to >= bins_.size()) return;
  timeline_.messages.Add(messages_++,
                         {ColumnOf(from), ColumnOf(to), message.send.at, message.receive.at, message.bytes, message.tag,
                          message.communicator},
                         kMostMessages);
}

void Builder::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  replay::ForEachStretch(call, arrivals, [&](const replay::Arrival& arrival, int64_t from, int64_t to) {
    if (arrival.message != nullptr) {
      AddWait(call.location, call.path, call.enter, from, to, arrival.message->send.location, arrival.ready, 0);
    } else if (arrival.collective != nullptr && arrival.last < arrival.collective->members.size()) {
      AddWait(call.location, call.path, call.enter, from, to, arrival.collective->members[arrival.last].location,
              arrival.ready, PatternOf(*arrival.collective));
    }
  });
  progress_.ForLastStretch(call, arrivals, [&](const replay::Progress::Back& back, int64_t from, int64_t to) {
    AddWait(call.location, call.path, call.enter, from, to, back.location, to, kLateProgress);
  });
}

// A sender waits until the last of its receives is posted, then until receivers come back to MPI.
void Builder::Sent(const replay::Call& call, std::span<const replay::Message* const> messages) {
  const replay::Message* last = nullptr;
  int64_t first = INT64_MAX;
  rendezvous_.ForEachAwaited(call, messages, [&](const replay::Message& message, int64_t from) {
    first = std::min(first, from);
    if (last == nullptr || message.receive.begun.enter > last->receive.begun.enter) last = &message;
  });
  if (last != nullptr) {
    const int64_t posted = last->receive.begun.enter;
    AddWait(call.location, call.path, call.enter, std::max(first, call.ready), posted, last->receive.location, posted,
            kLateReceiver);
  }
  progress_.ForEachStretch(call, messages, [&](const replay::Progress::Back& back, int64_t from, int64_t to) {
    AddWait(call.location, call.path, call.enter, from, to, back.location, to, kLateProgress);
  });
}

void Builder::Met(const replay::Collective& collective) {
  Meeting meeting{INT64_MAX, INT64_MIN, INT64_MIN, kNoPath, collective.communicator};
  for (const replay::Member& member : collective.members) {
    if (!member.there || !member.knows_begin) continue;
    meeting.first_in = std::min(meeting.first_in, member.begin);
    meeting.last_in = std::max(meeting.last_in, member.begin);
    meeting.last_out = std::max(meeting.last_out, member.end);
    meeting.path = member.path;
    const bool waited =
        member.needs && member.knows_ready && !member.immediate && member.last < collective.members.size();
    if (!waited) continue;
    int64_t from = member.begin;
    int pattern = PatternOf(collective);
    if (pattern == kEarlyReduce) from = FirstData(collective, member), pattern = kEarlyReduceLast;
    AddWait(member.location, member.path, member.begin, from, std::min(member.ready, member.end),
            collective.members[member.last].location, member.ready, pattern);
  }
  if (meeting.first_in <= meeting.last_in) timeline_.meetings.Add(meetings_++, meeting, kMostMeetings);
}

// The root waits for the first process that gives data, and then for the others. Returns when the first part ends.
int64_t Builder::FirstData(const replay::Collective& collective, const replay::Member& root) {
  const replay::Member* first = nullptr;
  for (const replay::Member& member : collective.members) {
    const bool gives = member.there && &member != &root && member.out != 0;
    if (gives && (first == nullptr || member.begin < first->begin)) first = &member;
  }
  if (first == nullptr) return root.begin;
  AddWait(root.location, root.path, root.begin, root.begin, std::min(first->begin, root.end), first->location,
          first->begin, kEarlyReduce);
  return std::max(first->begin, root.begin);
}

// The threads of a team wait for the thread that comes last, and then for tasks that others run. Nobody waits while it
// runs one.
void Builder::Gathered(const replay::Gathering& barrier) {
  constexpr int kExplicitTasks = 25, kImplicitTasks = 26;
  const replay::Role role = barrier.operation.role;
  const bool is_explicit = role == replay::Role::kExplicitBarrier;
  const int for_team = PatternOfBarrier(role);
  if (barrier.members.empty()) return;
  if (!barrier.KnowsAll()) return GatheredInPart(barrier, for_team);
  const int64_t latest = barrier.members[barrier.Last()].enter;
  for (size_t m = 0; m < barrier.members.size(); ++m) {
    const replay::Gathering::Member& member = barrier.members[m];
    for (const replay::TaskStretch& stretch : replay::StretchesOf(barrier, m)) {
      AddWait(member.location, member.path, member.enter, stretch.from, std::min(stretch.to, latest), stretch.whom,
              stretch.to, for_team);
      AddWait(member.location, member.path, member.enter, std::max(stretch.from, latest), stretch.to, stretch.whom,
              stretch.to, is_explicit ? kExplicitTasks : kImplicitTasks);
    }
  }
}

// The trace does not tell when some of the threads came.
void Builder::GatheredInPart(const replay::Gathering& barrier, int pattern) {
  const replay::Gathering::Member* last = nullptr;
  for (const replay::Gathering::Member& member : barrier.members) {
    if (member.knows_enter && (last == nullptr || member.enter > last->enter)) last = &member;
  }
  if (last == nullptr) return;
  for (const replay::Gathering::Member& member : barrier.members) {
    if (!member.knows_enter || &member == last) continue;
    AddWait(member.location, member.path, member.enter, member.enter, std::min(last->enter, member.leave),
            last->location, last->enter, pattern);
  }
}

void Builder::Awaited(const replay::TaskWait& wait) {
  constexpr int kTaskwait = 24;
  for (const replay::TaskStretch& stretch : wait.stretches) {
    AddWait(wait.call.location, wait.call.path, wait.call.enter, stretch.from, stretch.to, stretch.whom, stretch.to,
            kTaskwait);
  }
}

// The processes of a window wait for the process that comes last.
void Builder::Fenced(const replay::WindowFence& fence) {
  constexpr int kFence = 18;
  if (!fence.IsTogether()) return;
  const replay::Call& last = fence.calls[fence.Last()];
  for (const replay::Call& call : fence.calls) {
    AddWait(call.location, call.path, call.enter, call.enter, std::min(last.enter, call.leave), last.location,
            last.enter, kFence);
  }
}

// A process waits for the other sides of an epoch, the last of which ends the wait.
void Builder::Synchronised(const replay::WindowWait& wait) {
  constexpr int kFirst = 19, kFirstInAccess = 22;
  const replay::Call& call = wait.call;
  const replay::Role role = call.operation.role;
  if (role == replay::Role::kTest || wait.needed.empty()) return;
  int pattern = kFirst + static_cast<int>(wait.why);
  if (role == replay::Role::kAccess) {
    pattern = wait.why == replay::WindowWait::Why::kLock ? kFirstInAccess + 1 : kFirstInAccess;
  }
  AddWait(call.location, call.path, call.enter, call.enter, std::min(wait.ready(), call.leave),
          wait.needed.back().location, wait.ready(), pattern);
}

// A thread waits for the thread that has the lock.
void Builder::Acquired(const replay::Acquisition& acquisition) {
  constexpr int kCritical = 10, kLock = 11, kOrdered = 12;
  const replay::Call& call = acquisition.call;
  const replay::Role role = call.operation.role;
  const int pattern = role == replay::Role::kLock ? kLock : role == replay::Role::kOrdered ? kOrdered : kCritical;
  AddWait(call.location, call.path, call.enter, call.enter, std::min(acquisition.freed, call.leave), acquisition.holder,
          acquisition.freed, pattern);
}

// A thread waits for others in libc.
void Builder::Waited(const replay::ThreadWait& wait) {
  using What = replay::ThreadWait::What;
  constexpr int kMutex = 13, kOnce = 27;  // the others follow on kMutex in the order of What
  for (const replay::ThreadWait::Stretch& stretch : wait.stretches) {
    const int pattern = stretch.what == What::kOnce      ? kOnce
                        : stretch.what == What::kBarrier ? PatternOfBarrier(wait.call.operation.role)
                                                         : kMutex + static_cast<int>(stretch.what);
    AddWait(wait.call.location, wait.call.path, wait.call.enter, stretch.from, stretch.to, stretch.whom, stretch.to,
            pattern);
  }
}

void Builder::AddWait(uint32_t location, uint32_t path, int64_t call, int64_t from, int64_t to, uint32_t cause,
                      int64_t caused, int pattern) {
  if (to <= from || location >= bins_.size()) return;
  bins_[location].Wait(from, to);
  const uint32_t who = cause < bins_.size() ? ColumnOf(cause) : kNoPath;
  const auto which = static_cast<size_t>(pattern);
  const bool goes_on = std::exchange(last_call_[location][which], call) == call;
  // Numbers of their own keep rare patterns from being thinned away.
  timeline_.waits.Add(waits_[which]++,
                      {ColumnOf(location), who, from, to, caused, path, static_cast<uint8_t>(pattern), goes_on},
                      kMostWaits);
}

Timeline Builder::Finish() {
  for (uint32_t location = 0; location < bins_.size(); ++location) {
    const uint32_t column = ColumnOf(location);
    if (column >= timeline_.locations.size()) continue;
    timeline_.locations[column] = bins_[location].Finish();
    std::vector<LongCall>& calls = timeline_.long_calls[column] = std::move(long_calls_[location]);
    // Calls of one depth were added in the order of time.
    std::stable_sort(calls.begin(), calls.end(),
                     [](const LongCall& one, const LongCall& other) { return one.depth < other.depth; });
  }
  const auto by_begin = [](auto* sample, auto begin) {
    std::stable_sort(sample->items.begin(), sample->items.end(),
                     [&](const auto& one, const auto& other) { return begin(one) < begin(other); });
  };
  by_begin(&timeline_.messages, [](const Message& m) { return m.sent; });
  by_begin(&timeline_.waits, [](const Wait& w) { return w.from; });
  by_begin(&timeline_.meetings, [](const Meeting& m) { return m.first_in; });
  return std::move(timeline_);
}

}  // namespace epik::timeline
