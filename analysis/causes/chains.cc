// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/chains.h"

#include <algorithm>
#include <compare>
#include <map>
#include <queue>
#include <utility>

namespace epik::causes {

namespace {

using Causes = std::map<Cause, CauseFacts>;

// A chain ends at an action of a location. `missing`: it is a wait of its own that the trace has no cause of.
struct End {
  uint32_t location, path;
  bool missing;
  auto operator<=>(const End&) const = default;
};

// Looks for the end that most of a flow comes from, by all ways, and for the way that brings most of it.
class Search {
 public:
  explicit Search(const Flow& flow) {
    nodes_.push_back({flow.waits, &flow.causes});
    for (const auto& [group, causes] : flow.further) nodes_.push_back({group, &causes});
    for (uint32_t n = 1; n < nodes_.size(); ++n) number_of_[nodes_[n].group] = n;
  }

  std::vector<Chain::Link> Find(int64_t ns) {
    const auto [end, its_ns] = LargestEnd();
    if (its_ns == 0) return {};
    GoThroughWaits();
    const Step last = LastStep(end);
    if (last.cause == nullptr) return {};
    std::vector<Chain::Link> links = {LinkOf(last, its_ns)};
    for (uint32_t node = last.from; node != 0; node = nodes_[node].best.from) {
      const Step& step = nodes_[node].best;
      links.push_back(LinkOf(step, static_cast<int64_t>(static_cast<double>(ns) * step.part)));
    }
    std::reverse(links.begin(), links.end());
    return links;
  }

 private:
  // From the waits of a node to one of their causes. `part`: of the whole flow, the part that goes this way.
  struct Step {
    double part = 0;
    uint32_t from = 0;
    const std::pair<const Cause, CauseFacts>* cause = nullptr;
  };
  // Waits of a location. The first node has the flow's own ones, the others have waits that those come from.
  struct Node {
    Group group;
    const Causes* causes;
    Step best = {};  // the last step of the best way to it
  };

  static Chain::Link LinkOf(const Step& step, int64_t ns) { return {step.cause->first, ns, step.cause->second.more}; }
  static End EndOf(const Node& node, const Cause& cause) {
    return {cause.location, cause.path, cause.location == node.group.location};
  }
  // The part of the flow that comes to the node's waits by the best way, and on to this cause. Rounded, it is still not
  // larger than the node's, so a way never leads in a circle.
  static double PartOf(const Node& node, double sum, const CauseFacts& cause) {
    return node.best.part * (static_cast<double>(cause.ns) / sum);
  }
  static double SumOf(const Causes& causes) {
    double sum = 0;
    for (const auto& [cause, facts] : causes) sum += static_cast<double>(facts.ns);
    return sum;
  }

  std::pair<End, int64_t> LargestEnd() const {
    std::map<End, int64_t> ends;
    for (const Node& node : nodes_) {
      for (const auto& [cause, facts] : *node.causes) {
        if (!cause.waited) ends[EndOf(node, cause)] += facts.ns;
      }
    }
    const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto largest = std::max_element(ends.begin(), ends.end(), less);
    if (largest == ends.end()) return {};
    return *largest;
  }

  // Dijkstra's algorithm: parts become smaller with each step, so the largest one that is left is final.
  void GoThroughWaits() {
    nodes_[0].best.part = 1;
    std::priority_queue<std::pair<double, uint32_t>> open;
    for (open.push({1, 0}); !open.empty();) {
      const auto [part, from] = open.top();
      open.pop();
      if (part < nodes_[from].best.part) continue;
      const double sum = SumOf(*nodes_[from].causes);
      for (const auto& cause : *nodes_[from].causes) {
        const auto to = number_of_.find({cause.first.location, cause.first.path, cause.first.kind});
        if (!cause.first.waited || to == number_of_.end()) continue;
        const double its = PartOf(nodes_[from], sum, cause.second);
        if (its <= nodes_[to->second].best.part) continue;
        nodes_[to->second].best = {its, from, &cause};
        open.push({its, to->second});
      }
    }
  }

  Step LastStep(const End& end) const {
    Step last;
    for (uint32_t n = 0; n < nodes_.size(); ++n) {
      if (nodes_[n].best.part == 0) continue;
      const double sum = SumOf(*nodes_[n].causes);
      for (const auto& cause : *nodes_[n].causes) {
        if (cause.first.waited || EndOf(nodes_[n], cause.first) != end) continue;
        const double its = PartOf(nodes_[n], sum, cause.second);
        if (its > last.part) last = {its, n, &cause};
      }
    }
    return last;
  }

  std::vector<Node> nodes_;
  std::map<Group, uint32_t> number_of_;  // of nodes but the first
};

}  // namespace

std::vector<Chain> FindChains(const Delays& delays) {
  std::vector<Chain> chains;
  for (const Flow& flow : delays.flows) {
    const GroupFacts& facts = delays.groups.at(flow.waits);
    chains.push_back({flow.waits, facts.ns, facts.instances, Search(flow).Find(facts.ns)});
  }
  return chains;
}

}  // namespace epik::causes
