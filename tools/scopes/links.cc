// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/links.h"

#include <algorithm>
#include <utility>

namespace epik::scopes {

namespace {

// Halves of links that may be open. The other half of an older one will never come.
constexpr size_t kMostOpenHalves = 1 << 16;

// A parent that comes after a contribution gets it at once. Then nobody knows how long it lay there, and the way seems
// to take as long as the parent was late. A parent that was there when the contribution was sent has waited for the way
// there. So it must have waited for this share of both ways, which need not take the same time.
constexpr double kLeastAwaited = 0.25;
// Seconds that a parent may be late without harm, as one that passes on the result of the operation before.
constexpr double kSoon = 100e-6;

// The longest time that the parent waited for a contribution until it had that of `note`.
double Awaited(const Part& call, const std::vector<LinkNote>& notes, const LinkNote& note) {
  std::vector<double> moments = {call.entered};
  for (const LinkNote& other : notes) {
    const bool counts = !other.is_up && other.has_received && other.received <= note.received;
    if (counts) moments.push_back(other.received);
  }
  std::sort(moments.begin(), moments.end());
  double longest = 0;
  for (size_t i = 1; i < moments.size(); ++i) longest = std::max(longest, moments[i] - moments[i - 1]);
  return longest;
}

}  // namespace

void Links::Add(const Part& call, const std::vector<LinkNote>& notes) {
  if (notes.empty()) return;
  AddStages(call, notes);
  AddArrivals(call, notes);
  for (const LinkNote& note : notes) {
    if (!note.has_received || !note.has_sent) continue;
    const int32_t parent = note.is_up ? note.peer : call.rank, child = note.is_up ? call.rank : note.peer;
    Add(HalfLink{{call.communicator, call.path, parent, child, 0},
                 call.sequence,
                 note.is_up ? 1u : 0u,
                 note.is_up ? note.received - note.sent : note.sent - note.received,
                 note.is_up ? 0 : Awaited(call, notes, note)});
  }
}

// Adds stages only for calls that go up and down again: other calls have no such stages.
void Links::AddStages(const Part& call, const std::vector<LinkNote>& notes) {
  double all_in = call.entered, result = 0;
  for (const LinkNote& note : notes) {
    if (!note.has_received || !note.has_sent) return;
    if (!note.is_up) all_in = std::max(all_in, note.received);
  }
  result = all_in;
  for (const LinkNote& note : notes) {
    if (!note.is_up) continue;
    all_in = note.sent;
    result = note.received;
  }
  Stages& stages = stages_[{call.path, call.rank, call.thread}];
  stages.down.Add(all_in - call.entered, call.entered);
  stages.onward.Add(result - all_in, call.entered);
  stages.up.Add(call.left - result, call.entered);
}

void Links::AddArrivals(const Part& call, const std::vector<LinkNote>& notes) {
  const LinkNote* first = nullptr;
  const LinkNote* last = nullptr;
  for (const LinkNote& note : notes) {
    if (note.is_up || !note.has_received) continue;
    if (first == nullptr || note.received < first->received) first = &note;
    if (last == nullptr || note.received > last->received) last = &note;
  }
  if (first == nullptr) return;
  for (const LinkNote& note : notes) {
    if (note.is_up || !note.has_received) continue;
    Link& link = links_[{call.communicator, call.path, call.rank, note.peer, 0}];
    link.behind.Add(note.received - first->received, call.entered);
    if (&note == last) ++link.last;
  }
}

// The child waits from its contribution to the result, the parent has the contribution until it sends the result. The
// difference is the way there and back if the parent was there before the contribution: no clock is compared with that
// of another process.
void Links::Add(const HalfLink& mine) {
  const LinkKey& key = mine.key;
  const std::tuple place(key.communicator, mine.sequence, key.parent, key.child);
  const auto found = open_.find(place);
  if (found == open_.end()) {
    open_[place] = mine;
    if (open_.size() > kMostOpenHalves) open_.erase(open_.begin());
    return;
  }
  const HalfLink& other = found->second;
  if (other.is_child != mine.is_child) {
    const HalfLink& at_child = mine.is_child != 0 ? mine : other;
    const HalfLink& at_parent = mine.is_child != 0 ? other : mine;
    const double latency = at_child.kept - at_parent.kept;
    const bool is_known = latency <= kSoon || at_parent.awaited >= kLeastAwaited * latency;
    if (is_known) links_[at_parent.key].latency.Add(latency, mine.sequence);
  }
  open_.erase(found);
}

void Links::Take(Rows* rows) {
  for (auto& [key, link] : links_) {
    if (!link.latency.has_fresh() && !link.behind.has_fresh()) continue;
    rows->links.push_back({key, link.latency.Take(), link.behind.Take(), std::exchange(link.last, 0)});
  }
  for (auto& [key, stages] : stages_) {
    if (!stages.down.has_fresh()) continue;
    rows->stages.push_back({key, 0, stages.down.Take(), stages.onward.Take(), stages.up.Take()});
  }
}

void Links::TakeOpen(Rows* rows) {
  for (const auto& [place, half] : open_) rows->halves.push_back(half);
  open_.clear();
}

}  // namespace epik::scopes
