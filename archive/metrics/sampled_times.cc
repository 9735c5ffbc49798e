// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/sampled_times.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace epik::archive {

using event::Key;
using event::Node;
using event::SampledPath;

namespace {

bool IsPath(const Node& node) {
  return !event::IsMetric(node.key) && node.key != event::RegionKey(event::kPeersRegion);
}

// A year on any clock. More, or what is no number, is a damaged word.
double Sane(double ticks) { return ticks >= 0 && ticks <= static_cast<double>(uint64_t{1} << 57) ? ticks : 0; }

SampledPath PathOf(const Node& node) {
  SampledPath path;
  std::memcpy(&path, &node, sizeof path);
  return path;
}

// Estimates the ticks of the untimed visits from the timed ones.
double TicksOfUntimed(const Node& node, const SampledPath& path, double bias, SampledNode* sampled) {
  const auto untimed = static_cast<double>(sampled->untimed);
  if (untimed == 0) return 0;
  if (path.covered == 0) {  // none was timed since
    return path.visits_before == 0
               ? 0
               : untimed * Sane(static_cast<double>(node.ticks)) / static_cast<double>(path.visits_before);
  }
  const auto covered = static_cast<double>(path.covered);
  double ticks = std::max(Sane(static_cast<double>(path.covered_ticks)) - bias * covered, 0.0);
  double variance = Sane(path.variance);
  if (path.long_timed != 0) {
    // Too few of them tell nothing of how many there were, but that it is not known.
    constexpr uint32_t kSome = 8;
    const double more = Sane(static_cast<double>(path.long_ticks));
    if (path.long_timed >= kSome) ticks += more;
    variance += more * more / path.long_timed;
  }
  const double scale = untimed / covered;
  sampled->variance = variance * scale * scale;
  return Sane(ticks * scale);
}

class Estimator {
 public:
  Estimator(std::vector<Node>* nodes, const std::vector<uint64_t>& open, double bias)
      : nodes_(*nodes), sampled_(nodes->size()), estimate_(nodes->size()), least_(nodes->size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.parent >= i || !event::IsMetric(node.key)) continue;
      const uint32_t region = event::RegionOf(node.key);
      if (region == event::kSampledMetric) Take(PathOf(node), node.parent, open[node.parent], bias);
      if (region == event::kDroppedMetric) TakeDropped(PathOf(node), &sampled_[node.parent]);
    }
  }

  std::vector<SampledNode> Estimate() {
    if (any_) {
      FindLeast();
      Distribute();
    }
    return std::move(sampled_);
  }

 private:
  bool IsSampled(size_t i) const { return sampled_[i].untimed != 0; }

  void Take(const SampledPath& path, uint32_t at, uint64_t open, double bias) {
    Node& node = nodes_[at];
    SampledNode& sampled = sampled_[at];
    sampled.since = path.since;
    const uint64_t timed = path.visits_before + path.timed + open;
    sampled.untimed = node.visits > timed ? node.visits - timed : 0;
    if (sampled.untimed == 0) return;
    any_ = true;
    estimate_[at] = Sane(static_cast<double>(node.ticks)) + TicksOfUntimed(node, path, bias, &sampled);
    const auto longest = static_cast<double>(node.max), visits = static_cast<double>(node.visits);
    if (timed != 0)
      node.squares = std::min(node.squares * visits / static_cast<double>(timed), visits * longest * longest);
  }

  static void TakeDropped(const SampledPath& path, SampledNode* sampled) {
    sampled->dropped = true;
    sampled->dropped_since = path.since;
    sampled->dropped_calls = path.covered;
  }

  // Finds the least that each node took: its own measured ticks, or the ticks measured below it.
  void FindLeast() {
    std::vector<double> below(nodes_.size());
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (!IsPath(nodes_[i])) continue;
      const double own = Sane(static_cast<double>(nodes_[i].ticks));
      least_[i] = IsSampled(i) ? std::max(own, below[i]) : own;
      estimate_[i] = IsSampled(i) ? std::max(estimate_[i], least_[i]) : own;
      if (nodes_[i].parent < i) below[nodes_[i].parent] += least_[i];
    }
  }

  // From callers to callees: estimates that are more than there is room for in the caller are made to fit, each by the
  // same part of what is not known of it.
  void Distribute() {
    std::vector<double> least(nodes_.size()), unknown(nodes_.size());
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!IsPath(nodes_[i]) || nodes_[i].parent >= i) continue;
      least[nodes_[i].parent] += least_[i];
      unknown[nodes_[i].parent] += estimate_[i] - least_[i];
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (!IsPath(nodes_[i])) continue;
      if (IsSampled(i)) {
        const uint32_t parent = nodes_[i].parent;
        double part = 1;
        if (parent < i && unknown[parent] > 0) {
          const double room = static_cast<double>(nodes_[parent].ticks) - least[parent];
          part = std::clamp(room / unknown[parent], 0.0, 1.0);
        }
        nodes_[i].ticks = static_cast<uint64_t>(least_[i] + part * (estimate_[i] - least_[i]));
      }
    }
  }

  std::vector<Node>& nodes_;
  std::vector<SampledNode> sampled_;
  std::vector<double> estimate_, least_;  // ticks
  bool any_ = false;
};

}  // namespace

std::vector<SampledNode> EstimateSampled(std::vector<Node>* nodes, const std::vector<uint64_t>& open, double bias) {
  return Estimator(nodes, open, std::isfinite(bias) ? bias : 0).Estimate();
}

}  // namespace epik::archive
