// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/gatherer.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace epik::scopes {

namespace {

// Open calls of one communicator. Older calls lack a part that no process has any more.
constexpr size_t kMostOpen = 1 << 16;
// Seconds by which moments of two hosts may be apart in the wrong order.
constexpr double kClockError = 1e-3;

}  // namespace

void Gatherer::Define(uint64_t communicator, uint32_t size) {
  Communicator& known = communicators_[communicator];
  if (known.size == 0) known.size = size;
}

Gatherer::Communicator* Gatherer::Find(uint64_t id) {
  const auto found = communicators_.find(id);
  // A single process waits for no other, and Complete divides by the number of the others.
  return found == communicators_.end() || found->second.size < 2 ? nullptr : &found->second;
}

void Gatherer::Add(const Part& part) {
  Communicator* communicator = Find(part.communicator);
  if (communicator == nullptr) return;
  Calls* calls = communicator->At(part.sequence);
  const auto call = calls->try_emplace(part.sequence).first;
  const Meeting alone = {part.communicator, part.sequence, 1, part.rank, part.path, part.entered, 0};
  if (call->second.meeting.count == 0) {
    call->second.meeting = alone;
  } else {
    call->second.meeting.Merge(alone);
  }
  if (keeps_parts_) call->second.parts.push_back(part);
  Check(part.communicator, communicator->size, calls, call);
}

void Gatherer::Add(const Meeting& meeting) {
  Communicator* communicator = Find(meeting.communicator);
  if (communicator == nullptr || meeting.count == 0) return;
  Calls* calls = communicator->At(meeting.sequence);
  const auto [call, is_new] = calls->try_emplace(meeting.sequence);
  if (is_new) {
    call->second.meeting = meeting;
  } else {
    call->second.meeting.Merge(meeting);
  }
  Check(meeting.communicator, communicator->size, calls, call);
}

void Gatherer::Check(uint64_t id, uint32_t size, Calls* calls, Calls::iterator call) {
  if (call->second.meeting.count >= size) {
    Complete(id, call->second);
    calls->erase(call);
  } else if (calls->size() > kMostOpen) {
    // Calls are sorted by sequence, so the first one is the oldest.
    ++incomplete_;
    calls->erase(calls->begin());
  }
}

// A call that ends before the last one comes does not wait for it: MPI_Bcast at the root, MPI_Reduce elsewhere. Between
// hosts, such a call may only seem to end so early. Then it waited all its time.
double Gatherer::WaitOf(const Part& part, double last_entered) const {
  const double total = std::max(0.0, part.left - part.entered);
  if (part.left + (clocks_differ_ ? kClockError : 0) < last_entered) return 0;
  return std::clamp(last_entered - part.entered, 0.0, total);
}

void Gatherer::Complete(uint64_t id, const Call& call) {
  ++gathered_;
  const Meeting& meeting = call.meeting;
  auto& [count, late] = arrivals_[{id, meeting.path, meeting.last}];
  ++count;
  late += meeting.before / (meeting.count - 1);
  if (call.parts.empty() || !call.parts.front().HasLasted()) return;
  double first_left = call.parts.front().left;
  for (const Part& part : call.parts) first_left = std::min(first_left, part.left);
  for (const Part& part : call.parts) {
    Wrapper& wrapper = wrappers_[{part.path, part.rank, part.thread}];
    const double wait = WaitOf(part, meeting.entered);
    wrapper.total.Add(part.left - part.entered, part.entered);
    wrapper.arrival.Add(wait, part.entered);
    wrapper.departure.Add(part.left - first_left, part.entered);
    waited_ += wait;
  }
}

void Gatherer::Take(Rows* rows) {
  for (const auto& [key, times] : arrivals_) {
    rows->arrivals.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), times.first, times.second});
  }
  arrivals_.clear();
  // Wrappers stay, because their medians are of the latest values, whenever these came.
  for (auto& [key, wrapper] : wrappers_) {
    if (!wrapper.total.has_fresh()) continue;
    rows->wrappers.push_back({key, 0, wrapper.total.Take(), wrapper.arrival.Take(), wrapper.departure.Take()});
  }
  rows->waited += std::exchange(waited_, 0.0);
  rows->gathered += std::exchange(gathered_, 0);
  rows->incomplete += std::exchange(incomplete_, 0);
}

void Gatherer::TakeOpen(Rows* rows) {
  for (auto& [id, communicator] : communicators_) {
    for (Calls* calls : {&communicator.open, &communicator.persistent}) {
      for (auto& [sequence, call] : *calls) {
        // Parts tell everything that a meeting tells: sending both would count processes twice.
        if (!keeps_parts_) rows->meetings.push_back(call.meeting);
        rows->parts.insert(rows->parts.end(), call.parts.begin(), call.parts.end());
      }
      calls->clear();
    }
  }
}

void Gatherer::GiveUp() {
  for (auto& [id, communicator] : communicators_) {
    for (Calls* calls : {&communicator.open, &communicator.persistent}) {
      incomplete_ += calls->size();
      calls->clear();
    }
  }
}

}  // namespace epik::scopes
