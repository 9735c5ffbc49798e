// SPDX-License-Identifier: BSD-3-Clause
// Finds calls that waited until another process came back to MPI. That process had posted the receive, or begun its
// part of a collective operation, before. But most MPIs move much data only while both processes are in a call. Not all
// transfers need that: if a transfer began and ended while the other process was outside of MPI, no transfer of that
// kind between the two that is not larger needs it there.
#ifndef EPIK_ANALYSIS_REPLAY_PROGRESS_H_
#define EPIK_ANALYSIS_REPLAY_PROGRESS_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/replay/facts.h"
#include "analysis/replay/largest.h"
#include "analysis/replay/takers.h"

namespace epik::replay {

class Progress {
 public:
  // A process came back: it entered the call that completed its side.
  struct Back {
    uint32_t location = kNone;
    Completion by;
    Transfer transfer;
  };

  // Calls use(back, from, to) for each stretch in which a call that completes sends waited in that way, in the order of
  // time. Waits for messages that it receives itself, and for receives that were not posted yet, come first. A call
  // that only begins sends does not wait.
  template <typename Use>
  void ForEachStretch(const Call& call, std::span<const Message* const> messages, const Use& use) {
    int64_t from = std::max(call.enter, call.ready);
    sorted_.clear();
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted < call.leave) from = std::max(from, posted);
      const Back back{message->receive.location, message->received_by, TransferOf(*message)};
      // An earlier message may have moved in the call of MPI before, whose end its sender saw a little later.
      const bool was_away = back.by.away <= message->send.begun.enter;
      if (back.by.enter >= call.leave && was_away && !call.cut) alone_.Add(back.transfer);
      const bool may_wait = !call.operation.immediate && posted < call.leave;
      if (may_wait && back.by.enter < call.leave) sorted_.push_back(back);
    }
    std::sort(sorted_.begin(), sorted_.end(),
              [](const Back& one, const Back& other) { return one.by.enter < other.by.enter; });
    for (const Back& back : sorted_) {
      if (!Waits(back, from)) continue;
      use(back, std::max(from, back.by.away), back.by.enter);
      from = back.by.enter;
    }
  }

  // Does the same for a call that completes parts of collective operations. Among the processes that came back before
  // the call ended, the last one counts. It leaves out calls that also complete sends.
  template <typename Use>
  void ForLastStretch(const Call& call, std::span<const Arrival> arrivals, const Use& use) {
    if (call.sends) return;
    const Back last = LastBack(call, arrivals);
    const int64_t from = std::max(call.enter, call.ready);
    if (last.location != kNone) use(last, std::max(from, last.by.away), last.by.enter);
  }

  // Returns the process that came back last before such a call ended; an unknown location when none did.
  Back LastBack(const Call& call, std::span<const Arrival> arrivals) {
    const int64_t from = std::max(call.enter, call.ready);
    Back last;
    for (const Arrival& arrival : arrivals) {
      if (arrival.collective == nullptr) continue;
      const auto may_need = [&](uint32_t other) { return MayNeed(*arrival.collective, arrival.member, other); };
      const Back back = LastBack({*arrival.collective, arrival.member, from, call.leave, call.cut}, may_need);
      if (back.location != kNone && (last.location == kNone || back.by.enter > last.by.enter)) last = back;
    }
    return last;
  }

  // Returns the process that came back last among those that may exchange data with a member that needs none itself.
  Back LastTaker(const Collective& collective, uint32_t number) {
    const Member& mine = collective.members[number];
    const auto may_take = [&](uint32_t other) { return MayExchange(collective, number, other); };
    return LastBack({collective, number, HasAllSince(mine), mine.end, false}, may_take);
  }

  // Messages and operations may also move in a call of the other process that does not complete them. Calls use(back,
  // from) for each process that completed its side of one only later, and had been in another call meanwhile.
  // `from` is as for ForEachStretch.
  template <typename Use>
  void ForEachLater(const Call& call, std::span<const Message* const> messages, const Use& use) const {
    if (call.operation.immediate) return;
    for (const Message* message : messages) {
      if (!message->receive.knows_begin) continue;
      const int64_t posted = message->receive.begun.enter;
      const Back back{message->receive.location, message->received_by, TransferOf(*message)};
      const bool is_later = posted < call.leave && back.by.enter >= call.leave && back.by.away != INT64_MAX;
      if (is_later && back.by.away > message->send.begun.enter && !alone_.Contains(back.transfer)) {
        use(back, std::max({call.enter, call.ready, posted}));
      }
    }
  }
  template <typename Use>
  void ForEachLater(const Collective& collective, uint32_t number, const Use& use) const {
    const int64_t end = collective.members[number].end;
    const auto after = FirstAfter(collective, end);
    for (auto at = after; at != collective.back.end() && at - after < kMostAsked; ++at) {
      const Member& other = collective.members[*at];
      const Back back = BackOf(collective, number, *at);
      const bool is_later = other.begin < end && !other.completed_next && back.by.away != INT64_MAX;
      if (is_later && MayExchange(collective, number, *at) && !alone_.Contains(back.transfer)) use(back);
    }
  }

 private:
  static constexpr ptrdiff_t kMostAsked = 8;  // processes that came back shortly before and after the end of a call
  // A part of an operation, and the time in which it may have waited for others to come back.
  struct Part {
    const Collective& collective;
    uint32_t number;
    int64_t from, until;
    bool cut;
  };

  bool Waits(const Back& back, int64_t from) const {
    return back.by.away < back.by.enter && back.by.enter > from && !alone_.Contains(back.transfer);
  }

  // Data may come by way of processes that give none, except for neighbours and scans.
  static bool MayNeed(const Collective& collective, uint32_t number, uint32_t other) {
    switch (collective.operation.role) {
      case Role::kNeighbours: return collective.Takes(number, other);
      case Role::kScan: return other < number;
      default: return other != number;
    }
  }

  static Back BackOf(const Collective& collective, uint32_t number, uint32_t other) {
    const Member &mine = collective.members[number], &its = collective.members[other];
    const Transfer transfer{
        mine.location,  its.location, collective.operation.role, Mode::kStandard, std::max(mine.out, mine.in),
        collective.root};
    return {its.location, its.completed_by, transfer};
  }

  // The first of collective.back that came back at that time or later.
  static std::vector<uint32_t>::const_iterator FirstAfter(const Collective& collective, int64_t ns) {
    return std::lower_bound(collective.back.begin(), collective.back.end(), ns,
                            [&](uint32_t m, int64_t at) { return collective.members[m].completed_by.enter < at; });
  }

  template <typename May>
  Back LastBack(const Part& part, const May& may_wait_for) {
    const Collective& collective = part.collective;
    const auto begin = collective.back.begin(), end = collective.back.end();
    const auto after = FirstAfter(collective, part.until);
    for (auto at = after; at != end && at - after < kMostAsked; ++at) {
      const Member& other = collective.members[*at];
      const bool was_away = other.completed_next && other.completed_by.away < part.until;
      if (was_away && !part.cut && may_wait_for(*at)) alone_.Add(BackOf(collective, part.number, *at).transfer);
    }
    for (auto at = after; at != begin && after - at < kMostAsked;) {
      --at;
      const Back back = BackOf(collective, part.number, *at);
      if (may_wait_for(*at) && Waits(back, part.from)) return back;
    }
    return {};
  }

  Largest alone_;  // transfers that moved while the other process was outside of MPI
  std::vector<Back> sorted_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_PROGRESS_H_
