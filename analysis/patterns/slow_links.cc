// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/slow_links.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace epik::patterns {

namespace {

constexpr uint64_t kFewest = 10;    // messages of a size on a link that tell something
constexpr size_t kFewestLinks = 3;  // of a size, one of which can be slower than the others
constexpr double kSlow = 3;         // times as long as on the link in the middle
constexpr size_t kMostLinks = 20;
constexpr double kStepsPerDoubling = 4;

}  // namespace

void SlowLinks::Times::Add(int64_t ns, uint64_t message_bytes) {
  const double step = std::log2(static_cast<double>(std::max<int64_t>(ns, 1))) * kStepsPerDoubling;
  ++by_length[std::min(static_cast<size_t>(step), by_length.size() - 1)];
  ++count;
  bytes += message_bytes;
}

double SlowLinks::Times::Median() const {
  uint64_t seen = 0;
  for (size_t step = 0; step < by_length.size(); ++step) {
    seen += by_length[step];
    if (2 * seen > count) return std::exp2((static_cast<double>(step) + 0.5) / kStepsPerDoubling);
  }
  return 0;
}

void SlowLinks::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  if (arrivals.size() != 1 || arrivals[0].message == nullptr || !call.logged || call.cut) return;
  const replay::Message& message = *arrivals[0].message;
  if (message.send.location == replay::kNone || !message.send.knows_begin) return;
  const replay::Process& from = world_->processes[world_->locations[message.send.location].process];
  const replay::Process& to = world_->processes[world_->locations[call.location].process];
  if (from.rank == to.rank) return;
  const int64_t begun = std::max(message.send.begun.enter, call.enter);
  const Key key = {from.host != to.host, static_cast<int>(std::bit_width(message.bytes)), from.rank, to.rank};
  times_[key].Add(message.receive.at - begun, message.bytes);
}

std::vector<findings::Link> SlowLinks::Find() const {
  std::map<std::pair<int32_t, int32_t>, findings::Link> slow;
  std::map<std::pair<int32_t, int32_t>, double> most_lost;
  for (auto first = times_.begin(); first != times_.end();) {
    auto last = first;
    std::vector<double> medians;  // of links of one size
    for (; last != times_.end() && last->first.size == first->first.size &&
           last->first.between_hosts == first->first.between_hosts;
         ++last) {
      if (last->second.count >= kFewest) medians.push_back(last->second.Median());
    }
    std::sort(medians.begin(), medians.end());
    // The lower one of two in the middle: of two slow links among four, both are slow.
    const double usual = medians.empty() ? 0 : medians[(medians.size() - 1) / 2];
    for (; first != last; ++first) {
      const auto& [key, times] = *first;
      const double median = times.Median();
      if (medians.size() < kFewestLinks || times.count < kFewest || median < kSlow * usual) continue;
      findings::Link& link = slow[{key.from, key.to}];
      const double lost = (median - usual) * static_cast<double>(times.count) * 1e-9;
      double& most = most_lost[{key.from, key.to}];
      if (lost > most) {  // of this size are the messages that the link is described by
        most = lost;
        link.bytes = times.bytes / times.count;
        link.seconds = median * 1e-9;
        link.usual_s = usual * 1e-9;
      }
      link.from = key.from;
      link.to = key.to;
      link.messages += times.count;
      link.lost_s += lost;
    }
  }
  std::vector<findings::Link> links;
  for (const auto& [ranks, link] : slow) links.push_back(link);
  std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.lost_s > b.lost_s; });
  if (links.size() > kMostLinks) links.resize(kMostLinks);
  return links;
}

}  // namespace epik::patterns
