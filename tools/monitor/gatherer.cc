// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/gatherer.h"

#include <algorithm>
#include <utility>

namespace epik::monitor {

namespace {

// Of one communicator. What is older than this lacks a part that nobody has any more.
constexpr size_t kMostOpen = 1 << 16;

}  // namespace

void Gatherer::Define(uint64_t communicator, uint32_t size) {
  Communicator& known = communicators_[communicator];
  if (known.size == 0) known.size = size;
}

void Gatherer::Add(const Part& part) {
  const auto found = communicators_.find(part.communicator);
  if (found == communicators_.end() || found->second.size < 2) return;
  Communicator& communicator = found->second;
  Meeting& meeting = communicator.open[part.sequence];
  meeting.parts.push_back(part);
  if (meeting.parts.size() == communicator.size) {
    Complete(part.communicator, meeting);
    communicator.open.erase(part.sequence);
  } else if (communicator.open.size() > kMostOpen) {
    ++incomplete_;
    communicator.open.erase(communicator.open.begin());
  }
}

void Gatherer::Complete(uint64_t id, const Meeting& meeting) {
  const Part* last = &meeting.parts.front();
  double first_left = last->left, entered = 0;
  for (const Part& part : meeting.parts) {
    if (part.entered > last->entered) last = &part;
    first_left = std::min(first_left, part.left);
    entered += part.entered;
  }
  ++gathered_;
  const auto others = static_cast<double>(meeting.parts.size() - 1);
  Arrivals& arrivals = arrivals_[{id, last->path}];
  ++arrivals.calls;
  auto& [count, late] = arrivals.last[last->rank];
  ++count;
  late += last->entered - (entered - last->entered) / others;
  for (const Part& part : meeting.parts) {
    Wrapper& wrapper = wrappers_[{part.path, part.rank, part.thread}];
    const double wait = std::clamp(last->entered - part.entered, 0.0, std::max(0.0, part.left - part.entered));
    wrapper.total.Add(part.left - part.entered);
    wrapper.arrival.Add(last->entered - part.entered);
    wrapper.departure.Add(part.left - first_left);
    waited_ += wait;
  }
}

std::vector<LastArrival> Gatherer::TakeLastArrivals() {
  std::vector<LastArrival> taken;
  for (const auto& [key, arrivals] : arrivals_) {
    for (const auto& [rank, times] : arrivals.last) {
      taken.push_back({key.first, key.second, rank, times.first,
                       static_cast<double>(times.first) / static_cast<double>(arrivals.calls),
                       times.second / static_cast<double>(times.first)});
    }
  }
  arrivals_.clear();
  std::stable_sort(taken.begin(), taken.end(), [](const LastArrival& a, const LastArrival& b) {
    return static_cast<double>(a.count) * a.late > static_cast<double>(b.count) * b.late;
  });
  return taken;
}

double Gatherer::TakeWaited() { return std::exchange(waited_, 0.0); }

}  // namespace epik::monitor
