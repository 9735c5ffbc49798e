// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/slow_links.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace epik::patterns {

namespace {

constexpr uint64_t kFewest = 10;    // this many calls that wait for messages of the same links tell something
constexpr size_t kFewestLinks = 3;  // of a kind, so that one of them can be slower than the others
constexpr double kSlow = 3;         // times the median of the links
constexpr size_t kMostLinks = 20;
constexpr double kStepsPerDoubling = 4;
// MPI keeps smaller messages until they are received. A larger one may wait for its receiver, and so may the call that
// completes its sending.
constexpr uint64_t kSentAtOnce = 4096;
constexpr size_t kMostOpen = 1 << 16;
constexpr size_t kMostTimes = 1 << 16;  // 1 KiB each

// The shortest length of each step, in nanoseconds. The logarithm of each message would cost more.
std::array<uint64_t, 256> FirstOfSteps() {
  std::array<uint64_t, 256> first = {};
  for (size_t step = 0; step < first.size(); ++step) {
    uint64_t low = 0, high = uint64_t{1} << 63;
    while (low + 1 < high) {
      const uint64_t middle = low + (high - low) / 2;
      const bool reaches = std::log2(static_cast<double>(middle)) * kStepsPerDoubling >= static_cast<double>(step);
      (reaches ? high : low) = middle;
    }
    first[step] = high;
  }
  return first;
}

}  // namespace

size_t SlowLinks::StepOf(int64_t ns) {
  static const auto kFirst = FirstOfSteps();
  const auto length = static_cast<uint64_t>(std::max<int64_t>(ns, 1));
  size_t step = (static_cast<size_t>(std::bit_width(length)) - 1) * static_cast<size_t>(kStepsPerDoubling);
  while (step + 1 < kFirst.size() && length >= kFirst[step + 1]) ++step;
  return step;
}

double SlowLinks::Times::Median() const {
  uint64_t seen = 0;
  for (size_t step = 0; step < by_length.size(); ++step) {
    seen += by_length[step];
    if (2 * seen > count) return std::exp2((static_cast<double>(step) + 0.5) / kStepsPerDoubling);
  }
  return 0;
}

const replay::Process& SlowLinks::ProcessAt(uint32_t location) const {
  return world_->processes[world_->locations[location].process];
}

// Returns false when the call waited for something else, too, or when that is unknown.
bool SlowLinks::Collect(const replay::Call& call, std::span<const replay::Arrival> arrivals, int64_t* at) {
  const replay::Process& to = ProcessAt(call.location);
  *at = INT64_MIN;
  on_the_way_.clear();
  for (const replay::Arrival& arrival : arrivals) {
    if (arrival.message == nullptr) return false;
    const replay::Message& message = *arrival.message;
    if (message.send.location == replay::kNone || !message.send.knows_begin) return false;
    const replay::Process& from = ProcessAt(message.send.location);
    if (from.rank == to.rank) continue;
    *at = std::max(*at, message.receive.at);
    on_the_way_.push_back({{from.rank, to.rank, static_cast<int>(std::bit_width(message.bytes))},
                           message.send.begun.enter,
                           message.bytes,
                           from.host != to.host,
                           true});
  }
  return !on_the_way_.empty();
}

void SlowLinks::Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) {
  int64_t at;
  if (!call.logged || call.cut || !Collect(call, arrivals, &at)) return;
  for (OnTheWay& message : on_the_way_) message.begun = std::max(message.begun, call.enter);
  if (call.operation.first) {  // It waited for the first one: all that it got had just come, or came before.
    for (const OnTheWay& message : on_the_way_) Take(message.link.to, {at, at}, {&message, 1});
  } else if (call.most_sent <= kSentAtOnce) {
    Take(on_the_way_[0].link.to, {at, at}, on_the_way_);
  } else if (open_.size() < kMostOpen) {
    open_[{call.location, call.enter}] = {on_the_way_, at};
  }
}

// Messages that one test found together are on their way until the last one is there. MPI_Testsome finds all that are
// there, so each of its messages came since the last test.
void SlowLinks::Polled(const replay::Call& call, std::span<const replay::Arrival> messages) {
  int64_t at;
  if (!call.logged || call.cut || !Collect(call, messages, &at)) return;
  const Until until = {std::min(call.in_vain, at), at};
  if (!call.operation.first) return Take(on_the_way_[0].link.to, until, on_the_way_);
  for (const OnTheWay& message : on_the_way_) Take(message.link.to, until, {&message, 1});
}

void SlowLinks::Sent(const replay::Call& call, std::span<const replay::Message* const> messages) {
  const auto found = open_.find({call.location, call.enter});
  if (found == open_.end()) return;
  Open open = std::move(found->second);
  open_.erase(found);
  for (const replay::Message* message : messages) {
    const replay::Process &from = ProcessAt(call.location), &to = ProcessAt(message->receive.location);
    if (message->bytes <= kSentAtOnce || from.rank == to.rank) continue;
    const int64_t begun =
        std::max({message->send.begun.enter, call.enter, message->received_by.enter});  // both are in MPI
    open.messages.push_back({{from.rank, to.rank, static_cast<int>(std::bit_width(message->bytes))},
                             begun,
                             message->bytes,
                             from.host != to.host,
                             false});
  }
  Take(open.messages[0].link.to, {open.at, open.at}, open.messages);
}

// Null: there is no room for more.
SlowLinks::Waits* SlowLinks::WaitsFor(Key key) {
  const auto found = waits_.find(key);
  if (found != waits_.end()) return &found->second;
  const size_t links = key.links.size();
  times_ += 2 + links;
  if (times_ > kMostTimes) return nullptr;
  Waits& made = waits_.emplace(std::move(key), Waits()).first->second;
  made.of_each.resize(links);
  made.bytes.resize(links);
  made.messages.resize(links);
  return &made;
}

// Most calls wait for one message.
void SlowLinks::TakeOne(Until until, const OnTheWay& message) {
  const uint32_t number = *one_of_.FindOrAdd(message.link, static_cast<uint32_t>(ones_.size()));
  if (number == ones_.size()) {
    ones_.push_back(WaitsFor({{message.between_hosts, message.link.size, 1}, message.link.to, {message.link}}));
  }
  Waits* waits = ones_[number];
  if (waits == nullptr) return;
  const size_t at_most = StepOf(until.at_most - message.begun);
  const int64_t at_least = until.at_least > message.begun ? until.at_least - message.begun : 0;
  waits->at_least.AddStep(until.at_least == until.at_most ? at_most : StepOf(at_least));
  waits->at_most.AddStep(at_most);
  waits->of_each.front().AddStep(at_most);
  ++waits->messages.front();
  waits->bytes.front() += message.bytes;
}

void SlowLinks::Take(int32_t at, Until until, std::span<const OnTheWay> messages) {
  if (messages.size() == 1) return TakeOne(until, messages.front());
  Key key = {{false, 0, static_cast<int>(std::bit_width(messages.size()))}, at, {}};
  uint64_t bytes = 0;
  int64_t all_begun = INT64_MIN, arrived_begun = INT64_MIN;
  for (const OnTheWay& message : messages) {
    bytes += message.bytes;
    key.kind.between_hosts = key.kind.between_hosts || message.between_hosts;
    all_begun = std::max(all_begun, message.begun);
    if (message.arrived) arrived_begun = std::max(arrived_begun, message.begun);
    key.links.push_back(message.link);
  }
  key.kind.size = static_cast<int>(std::bit_width(bytes));
  std::sort(key.links.begin(), key.links.end());
  key.links.erase(std::unique(key.links.begin(), key.links.end()), key.links.end());
  const std::vector<Link> links = key.links;
  Waits* found = WaitsFor(std::move(key));
  if (found == nullptr) return;
  Waits& waits = *found;
  waits.at_least.Add(until.at_least > all_begun ? until.at_least - all_begun : 0);
  waits.at_most.Add(until.at_most - arrived_begun);
  for (const OnTheWay& message : messages) {
    const auto link = static_cast<size_t>(std::lower_bound(links.begin(), links.end(), message.link) - links.begin());
    ++waits.messages[link];
    waits.bytes[link] += message.bytes;
    if (message.arrived) waits.of_each[link].Add(until.at_most - message.begun);
  }
}

SlowLinks::Fastest SlowLinks::FindFastest() const {
  Fastest fastest;
  for (const auto& [key, waits] : waits_) {
    if (waits.at_most.count < kFewest) continue;
    for (size_t l = 0; l < key.links.size(); ++l) {
      if (waits.of_each[l].count == 0) continue;
      const double median = waits.of_each[l].Median();
      const auto [known, is_new] = fastest.try_emplace(key.links[l], median);
      known->second = std::min(known->second, median);
    }
  }
  return fastest;
}

// Returns 0 when there are too few to tell.
double SlowLinks::Usual(std::map<Key, Waits>::const_iterator first, std::map<Key, Waits>::const_iterator last) const {
  std::vector<double> medians;
  for (; first != last; ++first) {
    if (first->second.at_most.count >= kFewest) medians.push_back(first->second.at_most.Median());
  }
  if (medians.size() < kFewestLinks) return 0;
  std::sort(medians.begin(), medians.end());
  // The lower one of two medians in the middle: if two of four links are slow, both are reported.
  return medians[(medians.size() - 1) / 2];
}

// The links that are not known to be faster than `least`, as pairs of ranks.
SlowLinks::Blamed SlowLinks::BlamedFor(const Key& key, const Fastest& fastest, double least) const {
  Blamed blamed;
  for (const Link& link : key.links) {
    const auto known = fastest.find(link);
    if (known != fastest.end() && known->second < least) continue;
    const std::pair<int32_t, int32_t> pair = {link.from, link.to};
    if (blamed.empty() || blamed.back() != pair) blamed.push_back(pair);
  }
  // Links to rank `at` come first.
  std::stable_sort(blamed.begin(), blamed.end(),
                   [&](const auto& a, const auto& b) { return (a.second == key.at) > (b.second == key.at); });
  return blamed;
}

std::vector<findings::Link> SlowLinks::Find() const {
  std::map<Blamed, findings::Link> slow;
  std::map<Blamed, double> most_lost;
  const Fastest fastest = FindFastest();
  for (auto first = waits_.begin(); first != waits_.end();) {
    auto last = first;
    while (last != waits_.end() && last->first.kind == first->first.kind) ++last;
    const double usual = Usual(first, last);
    for (; first != last; ++first) {
      const auto& [key, waits] = *first;
      const double median = waits.at_least.Median();
      if (usual == 0 || waits.at_least.count < kFewest || median < kSlow * usual) continue;
      const Blamed suspects = BlamedFor(key, fastest, kSlow * usual);
      Blamed blamed = suspects;
      // A link in both directions: both ends find the same.
      const bool back =
          blamed.size() == 2 && blamed[0].first == blamed[1].second && blamed[0].second == blamed[1].first;
      if (back) std::sort(blamed.begin(), blamed.end());
      const bool to_one = std::all_of(blamed.begin(), blamed.end(),
                                      [&](const auto& pair) { return pair.second == blamed.front().second; });
      if (blamed.empty() || (!to_one && !back)) continue;  // too many links to name
      uint64_t count = 0, bytes = 0;
      for (size_t l = 0; l < key.links.size(); ++l) {
        const std::pair<int32_t, int32_t> pair = {key.links[l].from, key.links[l].to};
        if (std::find(blamed.begin(), blamed.end(), pair) == blamed.end()) continue;
        count += waits.messages[l];
        bytes += waits.bytes[l];
      }
      findings::Link& link = slow[blamed];
      const double lost = (median - usual) * static_cast<double>(waits.at_least.count) * 1e-9;
      double& most = most_lost[blamed];
      if (lost > most) {  // the link is described by its messages of this size
        most = lost;
        link.bytes = bytes / count;
        link.seconds = median * 1e-9;
        link.usual_s = usual * 1e-9;
      }
      link.from = blamed.front().first;
      link.to = blamed.front().second;
      link.or_from.clear();
      link.or_back = back;
      for (size_t b = 1; !back && b < blamed.size(); ++b) link.or_from.push_back(blamed[b].first);
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
