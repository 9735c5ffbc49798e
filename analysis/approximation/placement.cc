// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/placement.h"

#include <algorithm>
#include <bit>
#include <set>

#include "analysis/approximation/samples.h"

namespace epik::approximation {

using graph::Edge;
using graph::EdgeKind;
using graph::Graph;
using graph::Meeting;
using graph::MeetingMember;
using graph::Place;
using graph::Point;

namespace {

constexpr size_t kSizes = 65;    // powers of two
constexpr double kShort = 1024;  // bytes: messages of one size up to this one tell the latency, longer ones the rate

int LevelsOf(size_t members) { return members > 1 ? std::bit_width(members - 1) : 0; }

uint32_t CountOf(std::vector<uint32_t> hosts) {
  std::sort(hosts.begin(), hosts.end());
  return static_cast<uint32_t>(std::unique(hosts.begin(), hosts.end()) - hosts.begin());
}

}  // namespace

Placement::Placement(const Graph& graph, const replay::World& world, uint32_t ranks_per_host) : graph_(graph) {
  for (const replay::Location& location : world.locations) {
    const replay::Process& process = world.processes[location.process];
    host_before_.push_back(process.host);
    host_then_.push_back(static_cast<uint32_t>(std::max(process.rank, 0)) / std::max(ranks_per_host, 1u));
    rank_.push_back(process.rank);
  }
  hosts_before_ = CountOf(host_before_);
  hosts_ = CountOf(host_then_);
  Learn();
  LookAtMeetings();
}

void Placement::Change(Class before, Class then) {
  if (before == then) return;
  needs_[before] = needs_[then] = true;
}

// A message shows how long it was under way only if its receiver waited for it, in a call that did nothing else.
void Placement::Learn() {
  std::array<std::vector<Samples>, 2> samples;
  for (auto& of_class : samples) of_class.resize(kSizes);
  std::set<std::pair<int32_t, int32_t>> seen;
  for (uint32_t l = 0; l < graph_.locations(); ++l) {
    for (uint32_t p = 0; p < graph_.size(l); ++p) {
      const Point& point = graph_.At({l, p});
      graph_.ForEachEdge(point, [&](const Edge& edge) {
        if (edge.kind != EdgeKind::kMessage || !edge.partner.IsKnown()) return;
        const uint32_t from = edge.partner.location;
        if (rank_[from] == rank_[l]) return;
        if (seen.insert(std::minmax(rank_[from], rank_[l])).second) {
          ++pairs_;
          changed_pairs_ += Before(from, l) != Then(from, l) ? 1 : 0;
        }
        Change(Before(from, l), Then(from, l));
      });
      const Edge* only = OnlyMessage(graph_, point);
      if (only == nullptr) continue;
      const Point& send = graph_.At(only->partner);
      if (send.begin < point.begin || point.end <= send.begin || rank_[only->partner.location] == rank_[l]) continue;
      Samples& of_size = samples[Before(only->partner.location, l)][static_cast<size_t>(std::bit_width(only->bytes))];
      if (of_size.size() < kEnough) {
        of_size.emplace_back(static_cast<double>(only->bytes), static_cast<double>(point.end - send.begin));
      }
    }
  }
  for (const Class between : {kSameHost, kOtherHost}) ways_[between] = Fit(&samples[between]);
}

// Fits a line through the usual times of the sizes, by least squares of the relative error.
std::optional<Way> Placement::Fit(std::vector<Samples>* by_size) {
  Way way;
  double weight = 0, x = 0, y = 0, xx = 0, xy = 0;
  size_t sizes = 0;
  double bytes = 0, ns = 0;
  for (const Samples& samples : *by_size) {
    if (samples.empty()) continue;
    std::vector<double> times;
    bytes = 0;
    for (const auto& [size, took] : samples) {
      bytes += size / static_cast<double>(samples.size());
      times.push_back(took);
    }
    ns = std::max(1.0, Middle(std::move(times)));
    ++sizes;
    way.messages += samples.size();
    const double w = 1 / (ns * ns);
    weight += w;
    x += w * bytes;
    y += w * ns;
    xx += w * bytes * bytes;
    xy += w * bytes * ns;
  }
  if (sizes == 0) return std::nullopt;
  const double determinant = weight * xx - x * x;
  if (sizes == 1 || !(determinant > 1e-12 * weight * xx)) {
    (bytes <= kShort ? way.latency_ns : way.ns_per_byte) = bytes <= kShort ? ns : ns / bytes;
    return way;
  }
  way.ns_per_byte = (weight * xy - x * y) / determinant;
  way.latency_ns = (y - way.ns_per_byte * x) / weight;
  if (way.ns_per_byte < 0) way.ns_per_byte = 0, way.latency_ns = y / weight;
  if (way.latency_ns < 0) way.latency_ns = 0, way.ns_per_byte = xx > 0 ? xy / xx : 0;
  return way;
}

// The steps of a tree over hosts, and below it of a tree over the ranks of the fullest host.
Placement::Steps Placement::StepsOf(const Meeting& meeting, const std::vector<uint32_t>& host_of) const {
  std::unordered_map<uint32_t, size_t> ranks;
  size_t fullest = 0;
  for (const MeetingMember& member : graph_.MembersOf(meeting)) {
    if (member.place.IsKnown()) fullest = std::max(fullest, ++ranks[host_of[member.place.location]]);
  }
  Steps steps;
  steps[kSameHost] = LevelsOf(fullest);
  steps[kOtherHost] = LevelsOf(ranks.size());
  return steps;
}

void Placement::LookAtMeetings() {
  for (uint32_t l = 0; l < graph_.locations(); ++l) {
    for (uint32_t p = 0; p < graph_.size(l); ++p) {
      graph_.ForEachEdge(graph_.At({l, p}), [&](const Edge& edge) {
        if (edge.kind != EdgeKind::kMeeting || edge.meeting == graph::kNone || more_steps_.contains(edge.meeting))
          return;
        const Meeting& meeting = graph_.MeetingAt(edge.meeting);
        const Steps before = StepsOf(meeting, host_before_), then = StepsOf(meeting, host_then_);
        Steps& more = more_steps_[edge.meeting];
        for (const Class between : {kSameHost, kOtherHost}) {
          more[between] = then[between] - before[between];
          if (more[between] != 0) needs_[between] = true;
        }
      });
    }
  }
}

double Placement::MoreForMessage(uint32_t from, uint32_t to, uint64_t bytes) const {
  const Class before = Before(from, to), then = Then(from, to);
  if (before == then || rank_[from] == rank_[to]) return 0;
  return ways_[then]->Takes(bytes) - ways_[before]->Takes(bytes);
}

double Placement::MoreForMeeting(uint32_t meeting, uint64_t bytes) const {
  const auto found = more_steps_.find(meeting);
  if (found == more_steps_.end()) return 0;
  double more = 0;
  for (const Class between : {kSameHost, kOtherHost}) {
    if (found->second[between] != 0) more += found->second[between] * ways_[between]->Takes(bytes);
  }
  return more;
}

}  // namespace epik::approximation
