// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/slow_links.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace epik::patterns {

namespace {

constexpr uint64_t kFewest = 10;    // calls that wait for the same that tell something
constexpr size_t kFewestLinks = 3;  // of a kind, one of which can be slower than the others
constexpr double kSlow = 3;         // times as long as on the link in the middle
constexpr size_t kMostLinks = 20;
constexpr double kStepsPerDoubling = 4;
// MPI keeps smaller messages until they are received. The sending of a larger one may wait for the receiver, so a call
// that completes it may have waited for that.
constexpr uint64_t kSentAtOnce = 4096;
constexpr size_t kMostTimes = 1 << 16;  // 1 KiB each

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
  if (!call.logged || call.cut || call.most_sent > kSentAtOnce) return;
  const replay::Process& to = world_->processes[world_->locations[call.location].process];
  int64_t at = INT64_MIN;
  sent_.clear();
  for (const replay::Arrival& arrival : arrivals) {
    if (arrival.message == nullptr) return;  // it waited for a collective operation, too
    const replay::Message& message = *arrival.message;
    if (message.send.location == replay::kNone || !message.send.knows_begin) return;
    const replay::Process& from = world_->processes[world_->locations[message.send.location].process];
    if (from.rank == to.rank) continue;
    at = std::max(at, message.receive.at);
    const int64_t begun = std::max(message.send.begun.enter, call.enter);
    sent_.push_back(
        {{from.rank, static_cast<int>(std::bit_width(message.bytes))}, begun, message.bytes, from.host != to.host});
  }
  if (sent_.empty()) return;
  if (!call.operation.first) return Take(to.rank, at, sent_);
  // It waited for the first one: those that it got had all just come, or had come before it.
  for (const Sent& message : sent_) Take(to.rank, at, {&message, 1});
}

void SlowLinks::Take(int32_t to, int64_t at, std::span<const Sent> messages) {
  Key key = {{false, 0, static_cast<int>(std::bit_width(messages.size()))}, to, {}};
  uint64_t bytes = 0;
  int64_t begun = INT64_MIN;
  for (const Sent& message : messages) {
    bytes += message.bytes;
    key.kind.between_hosts = key.kind.between_hosts || message.between_hosts;
    begun = std::max(begun, message.begun);
    key.sources.push_back(message.source);
  }
  key.kind.size = static_cast<int>(std::bit_width(bytes));
  std::sort(key.sources.begin(), key.sources.end());
  key.sources.erase(std::unique(key.sources.begin(), key.sources.end()), key.sources.end());
  auto found = waits_.find(key);
  if (found == waits_.end()) {
    times_ += 1 + key.sources.size();
    if (times_ > kMostTimes) return;
    found = waits_.emplace(std::move(key), Waits()).first;
    found->second.at_most.resize(found->first.sources.size());
  }
  const std::vector<Source>& sources = found->first.sources;
  found->second.whole.Add(at - begun, bytes);
  for (const Sent& message : messages) {
    const auto source = std::lower_bound(sources.begin(), sources.end(), message.source) - sources.begin();
    found->second.at_most[static_cast<size_t>(source)].Add(at - message.begun, message.bytes);
  }
}

SlowLinks::Fastest SlowLinks::FindFastest() const {
  Fastest fastest;
  for (const auto& [key, waits] : waits_) {
    if (waits.whole.count < kFewest) continue;
    for (size_t s = 0; s < key.sources.size(); ++s) {
      const double median = waits.at_most[s].Median();
      const auto [known, is_new] = fastest.try_emplace({key.sources[s].from, key.to, key.sources[s].size}, median);
      known->second = std::min(known->second, median);
    }
  }
  return fastest;
}

// 0: too few to tell.
double SlowLinks::Usual(std::map<Key, Waits>::const_iterator first, std::map<Key, Waits>::const_iterator last) const {
  std::vector<double> medians;
  for (; first != last; ++first) {
    if (first->second.whole.count >= kFewest) medians.push_back(first->second.whole.Median());
  }
  if (medians.size() < kFewestLinks) return 0;
  std::sort(medians.begin(), medians.end());
  // The lower one of two in the middle: of two slow links among four, both are slow.
  return medians[(medians.size() - 1) / 2];
}

std::vector<findings::Link> SlowLinks::Find() const {
  using Blamed = std::pair<int32_t, std::vector<int>>;  // receiver, and senders
  std::map<Blamed, findings::Link> slow;
  std::map<Blamed, double> most_lost;
  const Fastest fastest = FindFastest();
  for (auto first = waits_.begin(); first != waits_.end();) {
    auto last = first;
    while (last != waits_.end() && last->first.kind == first->first.kind) ++last;
    const double usual = Usual(first, last);
    for (; first != last; ++first) {
      const auto& [key, waits] = *first;
      const double median = waits.whole.Median();
      if (usual == 0 || waits.whole.count < kFewest || median < kSlow * usual) continue;
      Blamed blamed = {key.to, {}};
      uint64_t count = 0, bytes = 0;
      for (size_t s = 0; s < key.sources.size(); ++s) {
        const Source& source = key.sources[s];
        if (fastest.at({source.from, key.to, source.size}) < kSlow * usual) continue;
        if (blamed.second.empty() || blamed.second.back() != source.from) blamed.second.push_back(source.from);
        count += waits.at_most[s].count;
        bytes += waits.at_most[s].bytes;
      }
      if (blamed.second.empty()) continue;
      findings::Link& link = slow[blamed];
      const double lost = (median - usual) * static_cast<double>(waits.whole.count) * 1e-9;
      double& most = most_lost[blamed];
      if (lost > most) {  // of this size are the messages that the link is described by
        most = lost;
        link.bytes = bytes / count;
        link.seconds = median * 1e-9;
        link.usual_s = usual * 1e-9;
      }
      link.from = blamed.second.front();
      link.to = key.to;
      link.or_from.assign(blamed.second.begin() + 1, blamed.second.end());
      link.messages += count;
      link.lost_s += lost;
    }
  }
  std::vector<findings::Link> links;
  links.reserve(slow.size());
  for (const auto& [blamed, link] : slow) links.push_back(link);
  std::stable_sort(links.begin(), links.end(), [](const auto& a, const auto& b) { return a.lost_s > b.lost_s; });
  if (links.size() > kMostLinks) links.resize(kMostLinks);
  return links;
}

}  // namespace epik::patterns
