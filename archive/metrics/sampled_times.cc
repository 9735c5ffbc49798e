// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/sampled_times.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace epik::archive {

using event::Key;
using event::Node;
using event::ProbedPath;
using event::SampledPath;

namespace {

bool IsPath(const Node& node) {
  return !event::IsMetric(node.key) && node.key != event::RegionKey(event::kPeersRegion);
}

// A year on any clock. Larger values, and values that are no numbers, come from a damaged word.
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
  if (path.covered == 0) {  // no visit was timed since then
    return path.visits_before == 0
               ? 0
               : untimed * Sane(static_cast<double>(node.ticks)) / static_cast<double>(path.visits_before);
  }
  const auto covered = static_cast<double>(path.covered);
  double ticks = std::max(Sane(static_cast<double>(path.covered_ticks)) - bias * covered, 0.0);
  double variance = Sane(path.variance);
  if (path.long_timed != 0) {
    // With so few of them, only their existence is known, not their number.
    constexpr uint32_t kSome = 8;
    const double more = Sane(static_cast<double>(path.long_ticks));
    if (path.long_timed >= kSome) ticks += more;
    variance += more * more / path.long_timed;
  }
  const double scale = untimed / covered;
  sampled->variance = variance * scale * scale;
  return Sane(ticks * scale);
}

ProbedPath ProbedOf(const Node& node) {
  ProbedPath path;
  std::memcpy(&path, &node, sizeof path);
  return path;
}

// The price of a visit, by the windows of the run. Batches differ, each is known only as well as its own windows, and
// the hidden part of counting is an estimate.
void TakePrice(const ProbedPath& path, SampledNode* probed) {
  if (path.batches == 0 || !(path.weight > 0)) return;
  constexpr double kStandardErrors = 2, kCountingError = 0.3, kLeastError = 0.05;
  const double n = path.batches, mean = path.cost / path.weight;
  const double between = n == 1 ? 0 : std::max(0.0, path.cost_squares / path.weight - mean * mean) / (n - 1);
  const double error = std::sqrt(std::max(between, Sane(path.variance) / (path.weight * path.weight)));
  const double price_error =
      kStandardErrors * error + kCountingError * std::abs(path.counting / path.weight) + kLeastError * std::abs(mean);
  if (!std::isfinite(mean) || !std::isfinite(price_error)) return;
  probed->batches = path.batches;
  probed->price = std::max(0.0, mean);
  probed->price_error = price_error;
}

class Estimator {
 public:
  Estimator(std::vector<Node>* nodes, const std::vector<uint32_t>& open, double bias,
            const std::vector<uint32_t>& folded)
      : nodes_(*nodes),
        folded_(folded),
        sampled_(nodes->size()),
        estimate_(nodes->size()),
        least_(nodes->size()),
        inner_(nodes->size()) {
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = nodes_[i];
      if (node.parent >= i || !event::IsMetric(node.key)) continue;
      const uint32_t region = event::RegionOf(node.key);
      if (region == event::kSampledMetric) Take(PathOf(node), node.parent, open[node.parent], bias);
      if (region == event::kDroppedMetric) TakeDropped(PathOf(node), &sampled_[node.parent]);
      if (region == event::kProbedMetric) TakeProbed(ProbedOf(node), node.parent, open[node.parent], bias);
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

  void Take(const SampledPath& path, uint32_t at, uint32_t open, double bias) {
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

  // Untimed visits are few, and between timed ones, so they took as long as those.
  void TakeProbed(const ProbedPath& path, uint32_t at, uint32_t open, double bias) {
    Node& node = nodes_[at];
    SampledNode& probed = sampled_[at];
    TakePrice(path, &probed);
    const uint64_t ended = node.visits - std::min<uint64_t>(node.visits, open);
    probed.untimed = std::min(path.untimed, ended - std::min<uint64_t>(ended, 1));
    if (probed.untimed == 0) return;
    any_ = true;
    const auto untimed = static_cast<double>(probed.untimed), timed = static_cast<double>(ended) - untimed;
    const double ticks = Sane(static_cast<double>(node.ticks)), mean = ticks / timed;
    estimate_[at] = ticks + untimed * std::max(0.0, mean - bias);
    probed.variance = untimed * std::max(0.0, node.squares / timed - mean * mean);
    node.squares *= static_cast<double>(node.visits) / timed;
  }

  // Finds the least ticks of each node: its own measured ticks, or the ticks measured below it.
  void FindLeast() {
    std::vector<double> below(nodes_.size());
    for (size_t i = nodes_.size(); i-- > 0;) {
      if (!IsPath(nodes_[i])) continue;
      const double own = Sane(static_cast<double>(nodes_[i].ticks));
      least_[i] = IsSampled(i) ? std::max(own, below[i] - inner_[i]) : own;
      estimate_[i] = IsSampled(i) ? std::max(estimate_[i], least_[i]) : own;
      if (!folded_.empty() && folded_[i] < i) inner_[folded_[i]] += estimate_[i];
      if (nodes_[i].parent < i) below[nodes_[i].parent] += least_[i];
    }
  }

  // Goes from callers to callees: estimates that are larger than the room in their caller are reduced.
  void Distribute() {
    std::vector<double> least(nodes_.size());
    std::vector<std::vector<uint32_t>> sampled_below(nodes_.size());
    for (uint32_t i = 0; i < nodes_.size(); ++i) {
      if (!IsPath(nodes_[i])) continue;
      const uint32_t parent = nodes_[i].parent;
      if (parent < i) least[parent] += least_[i];
      if (!IsSampled(i)) continue;
      if (parent < i) {
        sampled_below[parent].push_back(i);
      } else {
        nodes_[i].ticks = static_cast<uint64_t>(estimate_[i]);
      }
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      if (sampled_below[i].empty()) continue;
      Fit(std::max(static_cast<double>(nodes_[i].ticks) + inner_[i] - least[i], 0.0), sampled_below[i]);
      for (const uint32_t callee : sampled_below[i]) nodes_[callee].ticks = static_cast<uint64_t>(estimate_[callee]);
    }
  }

  double Unknown(uint32_t i) const { return estimate_[i] - least_[i]; }

  // Takes the excess from the callees by their variance: most from those that are known least well, for example a
  // sibling with a long tail. If no variance is known, it takes the excess by the size of the estimates.
  void Fit(double room, std::vector<uint32_t> callees) {
    double excess = -room;
    for (const uint32_t i : callees) excess += Unknown(i);
    while (excess > 0 && !callees.empty()) {
      double variance = 0, unknown = 0;
      for (const uint32_t i : callees) {
        variance += sampled_[i].variance;
        unknown += Unknown(i);
      }
      const auto part_of = [&](uint32_t i) {
        if (variance > 0) return sampled_[i].variance / variance;
        return unknown > 0 ? Unknown(i) / unknown : 0;
      };
      // Callees that have less than their part of the excess give all, and the others share the rest.
      std::vector<uint32_t> emptied;
      for (const uint32_t i : callees) {
        if (excess * part_of(i) >= Unknown(i)) emptied.push_back(i);
      }
      const double shared = excess;
      for (const uint32_t i : emptied.empty() ? callees : emptied) {
        excess -= Cut(i, emptied.empty() ? shared * part_of(i) : Unknown(i));
      }
      if (emptied.empty()) return;
      std::erase_if(callees, [&](uint32_t i) { return std::binary_search(emptied.begin(), emptied.end(), i); });
    }
  }

  // The estimate was wrong by at least that much, and so the rest of it may be, too.
  double Cut(uint32_t i, double ticks) {
    estimate_[i] -= ticks;
    sampled_[i].variance += ticks * ticks;
    return ticks;
  }

  std::vector<Node>& nodes_;
  const std::vector<uint32_t>& folded_;
  std::vector<SampledNode> sampled_;
  std::vector<double> estimate_, least_;  // ticks
  std::vector<double> inner_;             // ticks of folded nodes that belong to the node
  bool any_ = false;
};

}  // namespace

std::vector<SampledNode> EstimateSampled(std::vector<Node>* nodes, const std::vector<uint32_t>& open, double bias,
                                         const std::vector<uint32_t>& folded) {
  const auto was_sampled = [](const Node& node) {
    return node.key == event::RegionKey(event::kSampledMetric) || node.key == event::RegionKey(event::kDroppedMetric) ||
           node.key == event::RegionKey(event::kProbedMetric);
  };
  if (std::none_of(nodes->begin(), nodes->end(), was_sampled)) return {};
  return Estimator(nodes, open, std::isfinite(bias) ? bias : 0, folded).Estimate();
}

}  // namespace epik::archive
