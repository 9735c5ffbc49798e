// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/advice.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace epik::monitor {

namespace {

// A link is far when it takes more than this many times as long as the quickest one, …
constexpr double kFar = 4;
// … which counts as no shorter than a message through memory …
constexpr double kLeast = 1e-6;
// … and two are equally far when one takes less than this many times as long as the other.
constexpr double kEqual = 2;

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

}  // namespace

bool Advise(const std::vector<MeasuredLink>& links, uint32_t ranks, std::vector<int32_t>* parents, std::string* why) {
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
  return true;
}

}  // namespace epik::monitor
