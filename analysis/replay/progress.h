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
  // time. Waits for messages that it receives itself, and for receives that were not posted yet, come first.
  template <typename Use>
  void ForEachStretch(const Call& call, std::span<const Message* const> messages, const Use& use) {
    int64_t from = std::max(call.enter, call.ready);
    sorted_.clear();
    for (const Message* message : messages) {
      if (!message->receive.knows_begin || message->send_operation.mode == Mode::kBuffered) continue;
      const int64_t posted = message->receive.begun.enter;
      if (posted < call.leave) from = std::max(from, posted);
      const Back back{message->receive.location, message->received_by, TransferOf(*message)};
      // An earlier message may have moved in the call of MPI before, whose end its sender saw a little later.
      const bool was_away = back.by.away <= message->send.begun.enter;
      if (back.by.enter >= call.leave && was_away && !call.cut) alone_.Add(back.transfer);
      if (posted < call.leave && back.by.enter < call.leave) sorted_.push_back(back);
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
    const int64_t from = std::max(call.enter, call.ready);
    Back last;
    for (const Arrival& arrival : arrivals) {
      if (arrival.collective == nullptr) continue;
      const Back back = LastBack(call, *arrival.collective, arrival.member, from);
      if (back.location != kNone && (last.location == kNone || back.by.enter > last.by.enter)) last = back;
    }
    if (last.location != kNone) use(last, std::max(from, last.by.away), last.by.enter);
  }

 private:
  static constexpr ptrdiff_t kMostAsked = 8;  // processes that came back shortly before and after the end of a call

  bool Waits(const Back& back, int64_t from) const {
    return back.by.away < back.by.enter && back.by.enter > from && !alone_.Contains(back.transfer);
  }

  // Data may come by way of processes that give none, except for neighbours and scans.
  static bool MayNeed(const Collective& collective, uint32_t number, uint32_t other) {
    const std::vector<uint32_t>& sources = collective.members[number].sources;
    switch (collective.operation.role) {
      case Role::kNeighbours: return std::find(sources.begin(), sources.end(), other) != sources.end();
      case Role::kScan: return other < number;
      default: return other != number;
    }
  }

  Back LastBack(const Call& call, const Collective& collective, uint32_t number, int64_t from) {
    const std::vector<Member>& members = collective.members;
    const Member& mine = members[number];
    const auto back_of = [&](uint32_t m) {
      const Transfer transfer{mine.location, members[m].location, collective.operation.role, Mode::kStandard,
                              std::max(mine.out, mine.in)};
      return Back{members[m].location, members[m].completed_by, transfer};
    };
    const auto begin = collective.back.begin(), end = collective.back.end();
    const auto after = std::lower_bound(
        begin, end, call.leave, [&](uint32_t m, int64_t leave) { return members[m].completed_by.enter < leave; });
    for (auto at = after; at != end && at - after < kMostAsked; ++at) {
      const bool was_away = members[*at].completed_next && members[*at].completed_by.away < call.leave;
      if (was_away && !call.cut && MayNeed(collective, number, *at)) alone_.Add(back_of(*at).transfer);
    }
    for (auto at = after; at != begin && after - at < kMostAsked;) {
      --at;
      const Back back = back_of(*at);
      if (MayNeed(collective, number, *at) && Waits(back, from)) return back;
    }
    return {};
  }

  Largest alone_;  // transfers that moved while the other process was outside of MPI
  std::vector<Back> sorted_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_PROGRESS_H_
