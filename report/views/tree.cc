// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/tree.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "config/growing_match.h"

namespace epik::report {

using archive::kNone;

namespace {

// Places call paths into branches while the tree is walked.
class Folder {
 public:
  Folder(const Figures& figures, bool fold, std::vector<Branch>* branches, std::vector<uint32_t>* roots)
      : figures_(figures),
        fold_(fold),
        branches_(*branches),
        roots_(*roots),
        place_(figures.visits.size(), kNone),
        latest_(figures.profile.regions.size(), kNone) {}

  void Enter(uint32_t path) {
    const archive::CallPath& call = figures_.profile.call_paths[path];
    const uint32_t caller = call.parent == kNone ? kNone : place_[call.parent];
    const uint32_t above = fold_ ? FindAbove(caller, call.region) : kNone;
    const uint32_t branch = above != kNone ? above : Find(caller, call.region, false, path);
    place_[path] = branch;
    const uint32_t depth = depth_[branch];
    if (chain_.size() <= depth) chain_.resize(depth + 1, kNone);
    stack_.push_back(
        {branch, kNone, std::exchange(chain_[depth], branch), std::exchange(latest_[call.region], branch)});
    Count(branch, path);
    branches_[branch].exclusive += figures_.time.ExclusiveSum(path);
    if (above != kNone && above != caller) {
      stack_.back().mark = Find(caller, call.region, true, path);
      Count(stack_.back().mark, path);
    }
  }

  void Leave(uint32_t) {
    const Open& open = stack_.back();
    --active_[open.branch];
    if (open.mark != kNone) --active_[open.mark];
    chain_[depth_[open.branch]] = open.in_chain;
    latest_[branches_[open.branch].region] = open.latest;
    stack_.pop_back();
  }

 private:
  struct Open {
    uint32_t branch, mark;
    uint32_t in_chain, latest;  // entries of chain_ and latest_ that this call replaced
  };

  // The branch of this region among the caller and the branches above it. A region is there once at most, because
  // recursion is folded. All these branches have open calls. If the latest open call of the region is in another
  // branch, a recursion has led back above this branch since, and no branch of the region is above the caller.
  uint32_t FindAbove(uint32_t caller, uint32_t region) const {
    const uint32_t latest = latest_[region];
    if (caller == kNone || latest == kNone || depth_[latest] > depth_[caller]) return kNone;
    return chain_[depth_[latest]] == latest ? latest : kNone;
  }

  void Count(uint32_t branch, uint32_t path) {
    Branch& b = branches_[branch];
    b.visits += figures_.visits[path];
    if (active_[branch]++ == 0) b.outermost.push_back(path);
    b.levels = std::max(b.levels, active_[branch]);
  }

  uint32_t Find(uint32_t caller, uint32_t region, bool again, uint32_t path) {
    // Without folding, siblings of the same region stay apart.
    const uint64_t key = (uint64_t{caller} << 32) | (fold_ ? region : path);
    auto [it, missing] = (again ? marks_ : children_).try_emplace(key, static_cast<uint32_t>(branches_.size()));
    if (missing) {
      Branch branch;
      branch.region = region;
      branch.parent = caller;
      branch.again = again;
      branches_.push_back(std::move(branch));
      active_.push_back(0);
      depth_.push_back(caller == kNone ? 0 : depth_[caller] + 1);
      (caller == kNone ? roots_ : branches_[caller].children).push_back(it->second);
    }
    return it->second;
  }

  const Figures& figures_;
  const bool fold_;
  std::vector<Branch>& branches_;
  std::vector<uint32_t>& roots_;
  std::vector<uint32_t> place_;  // call path -> branch
  std::vector<int> active_;      // branch -> the number of its open call paths
  std::vector<uint32_t> depth_;  // branch -> the number of branches above it
  std::vector<Open> stack_;
  std::vector<uint32_t> chain_;   // depth -> branch: from the root to the branch of the innermost open call, and rests
  std::vector<uint32_t> latest_;  // region -> branch of its innermost open call
  std::unordered_map<uint64_t, uint32_t> children_, marks_;
};

}  // namespace

Tree::Tree(const Figures& figures, bool fold_recursion) {
  Folder folder(figures, fold_recursion, &branches_, &roots_);
  Walk(
      figures.profile, figures.links, [&](uint32_t p) { folder.Enter(p); }, [&](uint32_t p) { folder.Leave(p); });
  // Callers come first. The time of inner calls of a recursion is in the branch that they lead back to, so branches
  // never add up to more than their caller.
  for (uint32_t b = static_cast<uint32_t>(branches_.size()); b-- > 0;) {
    branches_[b].inclusive += branches_[b].exclusive;
    branches_[b].weight += std::fabs(branches_[b].exclusive);
    if (branches_[b].parent == kNone) continue;
    branches_[branches_[b].parent].inclusive += branches_[b].inclusive;
    branches_[branches_[b].parent].weight += branches_[b].weight;
  }
  const auto hotter = [this](uint32_t a, uint32_t b) {
    const Branch &x = branches_[a], &y = branches_[b];
    return std::tie(y.weight, y.visits, a) < std::tie(x.weight, x.visits, b);
  };
  std::sort(roots_.begin(), roots_.end(), hotter);
  for (Branch& branch : branches_) std::sort(branch.children.begin(), branch.children.end(), hotter);
}

Spread Tree::Imbalance(const Figures& figures, uint32_t branch) const {
  std::vector<double> row(figures.profile.locations.size());
  for (uint32_t path : branches_[branch].outermost) {
    const std::vector<double>& inclusive = figures.time.InclusiveRow(path);
    for (size_t l = 0; l < inclusive.size(); ++l) row[l] += inclusive[l];
  }
  return SpreadOf(row);
}

std::vector<std::string_view> Tree::PathNames(const Figures& figures, uint32_t branch) const {
  std::vector<std::string_view> names;
  for (uint32_t b = branch; b != kNone; b = at(b).parent) {
    if (b != branch && at(b).parent == kNone && IsArtificial(figures, b)) break;
    names.push_back(figures.profile.regions[at(b).region].name);
  }
  std::reverse(names.begin(), names.end());
  return names;
}

std::vector<bool> Tree::Matching(const Figures& figures, std::string_view pattern) const {
  std::vector<config::GrowingMatch> matches;  // of the branches that came already: callers come first
  std::vector<bool> matching;
  for (uint32_t b = 0; b < size(); ++b) {
    const archive::Region& region = figures.profile.regions[at(b).region];
    const uint32_t caller = at(b).parent;
    const bool is_first = caller == kNone || (at(caller).parent == kNone && IsArtificial(figures, caller));
    config::GrowingMatch match = is_first ? config::GrowingMatch(pattern) : matches[caller];
    if (!is_first) match.Add(" > ");
    match.Add(region.name);
    matching.push_back(match.Matches());
    matches.push_back(std::move(match));
  }
  return matching;
}

std::vector<bool> ChooseHottest(const Tree& tree, const Choice& choice) {
  struct Candidate {
    double weight;
    int depth;
    uint32_t branch;
    bool operator<(const Candidate& other) const {  // callers come before their callees
      return std::tie(weight, other.depth, other.branch) < std::tie(other.weight, depth, branch);
    }
  };
  // A call that leads back to a branch above is shown with its caller.
  const auto heat = [&](uint32_t b) { return tree.at(tree.at(b).again ? tree.at(b).parent : b).weight; };
  const auto wanted = [&](uint32_t b) {
    return heat(b) >= choice.least_weight && (choice.wanted == nullptr || (*choice.wanted)[b]);
  };
  std::vector<bool> shown(tree.size());
  std::priority_queue<Candidate> candidates;
  for (uint32_t root : tree.roots()) {
    if (wanted(root)) candidates.push({tree.at(root).weight, 1, root});
  }
  for (size_t count = 0; !candidates.empty() && (choice.most == 0 || count < choice.most);) {
    const Candidate best = candidates.top();
    const Branch& branch = tree.at(best.branch);
    candidates.pop();
    shown[best.branch] = true;
    size_t children = 0;
    if (choice.depth == 0 || best.depth < choice.depth) {
      for (uint32_t child : branch.children) {
        if (!wanted(child)) continue;
        candidates.push({heat(child), best.depth + 1, child});
        ++children;
      }
    }
    if (children != 1 || std::fabs(branch.exclusive) >= choice.passes_on) ++count;
  }
  return shown;
}

}  // namespace epik::report
