// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/advice.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "view/number.h"

namespace epik::monitor {

namespace {

// A link is far when it takes more than this many times as long as the quickest one, …
constexpr double kFar = 4;
// … which counts as no shorter than a message through memory …
constexpr double kLeast = 1e-6;
// … and two are equally far when one takes less than this many times as long as the other.
constexpr double kEqual = 2;
// A tree is better when its longest way takes less than this share of the time that the present one takes: latencies
// are medians of what a busy machine does.
constexpr double kBetter = 0.9;

class Clusters {
 public:
  explicit Clusters(size_t ranks) : above_(ranks) { std::iota(above_.begin(), above_.end(), 0); }
  int32_t Of(int32_t rank) {
    while (above_[static_cast<size_t>(rank)] != rank) {
      int32_t& above = above_[static_cast<size_t>(rank)];
      above = above_[static_cast<size_t>(above)];
      rank = above;
    }
    return rank;
  }
  // The lowest rank represents the cluster.
  void Unite(int32_t a, int32_t b) {
    a = Of(a), b = Of(b);
    above_[static_cast<size_t>(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int32_t> above_;
};

// Any tree that is worth improving has links within clusters.
double NearLatency(const std::vector<MeasuredLink>& links) {
  double least = std::numeric_limits<double>::infinity();
  for (const MeasuredLink& link : links) least = std::min(least, link.latency);
  return std::max(least, kLeast);
}

// Each process is reached from the root. The time of a link belongs to its child.
class Ways {
 public:
  Ways(const std::vector<int32_t>& parents, std::vector<double> latency)
      : parents_(parents), latency_(std::move(latency)), depth_(parents.size(), 0), way_(parents.size(), 0) {}

  // False: some processes have no way to a root.
  bool Measure() {
    for (size_t r = 0; r < parents_.size(); ++r) {
      std::vector<int32_t> above;  // it, and those above it that are not done
      for (auto at = static_cast<int32_t>(r); parents_[Index(at)] >= 0 && depth_[Index(at)] == 0;) {
        above.push_back(at);
        at = parents_[Index(at)];
        if (above.size() >= parents_.size()) return false;
      }
      for (; !above.empty(); above.pop_back()) {
        const size_t child = Index(above.back()), parent = Index(parents_[child]);
        depth_[child] = depth_[parent] + 1;
        way_[child] = way_[parent] + latency_[child];
      }
    }
    return true;
  }
  double Longest() const { return *std::max_element(way_.begin(), way_.end()); }
  // The farthest link on the way between two processes.
  double Farthest(int32_t a, int32_t b) const {
    double farthest = 0;
    while (a != b) {
      int32_t& lower = depth_[Index(a)] >= depth_[Index(b)] ? a : b;
      farthest = std::max(farthest, latency_[Index(lower)]);
      lower = parents_[Index(lower)];
    }
    return farthest;
  }

 private:
  static size_t Index(int32_t rank) { return static_cast<size_t>(rank); }

  const std::vector<int32_t>& parents_;
  const std::vector<double> latency_;
  std::vector<uint32_t> depth_;
  std::vector<double> way_;  // to the root
};

// A known cluster becomes a binomial tree. An assumed cluster is flat, so that the next run shows how far each process
// is from the first one.
void Hang(const std::vector<int32_t>& ranks, bool is_known, std::vector<int32_t>* parents) {
  for (size_t i = 1; i < ranks.size(); ++i) {
    (*parents)[static_cast<size_t>(ranks[i])] = ranks[is_known ? i & (i - 1) : 0];
  }
}

// Single processes that are equally far from one cluster become one cluster. Two known clusters stay apart, because an
// earlier run has shown that they are two.
void UniteEquallyFar(const std::vector<MeasuredLink>& far, uint32_t ranks, Clusters* clusters) {
  std::vector<uint32_t> known(ranks, 0);  // by the cluster's first rank: processes that are near each other
  for (uint32_t r = 0; r < ranks; ++r) ++known[static_cast<size_t>(clusters->Of(static_cast<int32_t>(r)))];
  struct Group {
    int32_t from, member;
    double latency;
    bool is_known;
  };
  std::vector<Group> groups;
  Clusters near = *clusters;
  for (const MeasuredLink& link : far) {
    const int32_t from = near.Of(link.parent), to = near.Of(link.child);
    const bool is_known = known[static_cast<size_t>(to)] > 1;
    const auto same = std::find_if(groups.begin(), groups.end(), [&](const Group& group) {
      return group.from == from && link.latency < kEqual * group.latency && !(group.is_known && is_known);
    });
    if (same == groups.end()) {
      groups.push_back({from, to, link.latency, is_known});
    } else {
      same->is_known = same->is_known || is_known;
      clusters->Unite(same->member, to);
    }
  }
}

// Each process but one has one parent.
bool TakeTree(const std::vector<MeasuredLink>& links, uint32_t ranks, std::vector<MeasuredLink>* tree) {
  std::vector<char> has_parent(ranks, 0);
  for (const MeasuredLink& link : links) {
    const auto parent = static_cast<uint32_t>(link.parent), child = static_cast<uint32_t>(link.child);
    if (parent >= ranks || child >= ranks || has_parent[child] != 0) continue;
    has_parent[child] = 1;
    tree->push_back(link);
  }
  return ranks > 1 && tree->size() + 1 >= ranks;
}

// Finds out how long the longest way is in the present tree and in the advised one. `near`: the latency of processes
// that are assumed to be near each other. False: the links are no tree.
bool CompareWays(const std::vector<MeasuredLink>& tree, double near, const Clusters& of_near, Clusters clusters,
                 Advice* advice) {
  std::vector<int32_t> parents(advice->parents.size(), -1);
  std::vector<double> latency(parents.size(), 0);
  for (const MeasuredLink& link : tree) {
    parents[static_cast<size_t>(link.child)] = link.parent;
    latency[static_cast<size_t>(link.child)] = std::max(0.0, link.latency);
  }
  Ways present(parents, latency);
  if (std::count(parents.begin(), parents.end(), -1) != 1 || !present.Measure()) return false;
  advice->now = present.Longest();
  Clusters known = of_near;
  std::vector<double> least(parents.size(), 0), most(parents.size(), 0);
  for (size_t r = 0; r < parents.size(); ++r) {
    const auto rank = static_cast<int32_t>(r);
    const int32_t parent = advice->parents[r];
    if (parent < 0) continue;
    most[r] = present.Farthest(parent, rank);
    const bool is_assumed = clusters.Of(rank) == clusters.Of(parent) && known.Of(rank) != known.Of(parent);
    least[r] = is_assumed ? std::min(near, most[r]) : most[r];
  }
  Ways with_assumptions(advice->parents, least), without(advice->parents, most);
  if (!with_assumptions.Measure() || !without.Measure()) return false;
  advice->least = with_assumptions.Longest();
  advice->most = without.Longest();
  // From a flat tree, a tree of about the same length is advised, whose links show more.
  advice->is_present = kBetter * advice->least > advice->now;
  if (!advice->is_present) return true;
  advice->parents = parents;
  advice->least = advice->most = advice->now;
  return true;
}

}  // namespace

Advice::Gain Advice::gain() const {
  if (least >= kBetter * now) return Gain::kNone;
  return most < kBetter * now ? Gain::kLikely : Gain::kPerhaps;
}

std::string Compare(const Advice& advice) {
  std::string text = "the longest way takes " + view::Seconds(advice.least, false) + " there and back";
  if (advice.most > advice.least) {
    text += " if processes that are equally far from another one are near each other, else up to " +
            view::Seconds(advice.most, false);
  }
  return text + ", " + view::Seconds(advice.now, false) + " now";
}

bool Advise(const std::vector<MeasuredLink>& links, uint32_t ranks, Advice* advice, std::string* why) {
  std::vector<MeasuredLink> tree, far;
  if (!TakeTree(links, ranks, &tree)) {
    *why = "the links of " + std::to_string(ranks < 2 ? 0 : ranks - 1 - tree.size()) + " of " + std::to_string(ranks) +
           " processes are not known";
    return false;
  }
  const double near = NearLatency(tree);
  Clusters clusters(ranks);
  for (const MeasuredLink& link : tree) {
    if (link.latency <= kFar * near) {
      clusters.Unite(link.parent, link.child);
    } else {
      far.push_back(link);
    }
  }
  std::stable_sort(far.begin(), far.end(), [](const auto& a, const auto& b) { return a.latency < b.latency; });
  Clusters of_near = clusters;
  UniteEquallyFar(far, ranks, &clusters);
  std::map<int32_t, std::vector<int32_t>> members;
  for (uint32_t r = 0; r < ranks; ++r) members[clusters.Of(static_cast<int32_t>(r))].push_back(static_cast<int32_t>(r));
  std::vector<int32_t>* parents = &advice->parents;
  parents->assign(ranks, -1);
  std::vector<int32_t> leaders;
  for (const auto& [leader, of_cluster] : members) {
    const bool is_known = std::all_of(of_cluster.begin(), of_cluster.end(), [&, first = leader](int32_t rank) {
      return of_near.Of(rank) == of_near.Of(first);
    });
    Hang(of_cluster, is_known, parents);
    leaders.push_back(leader);
  }
  // Far messages overlap: one step for all of them.
  for (size_t i = 1; i < leaders.size(); ++i) (*parents)[static_cast<size_t>(leaders[i])] = leaders[0];
  if (CompareWays(tree, near, of_near, clusters, advice)) return true;
  *why = "the links are those of several trees, because the job took another one meanwhile";
  return false;
}

}  // namespace epik::monitor
