// SPDX-License-Identifier: BSD-3-Clause
// The call tree for people: a recursion is folded into one branch, and the hottest branches are chosen.
#ifndef EPIK_REPORT_VIEWS_TREE_H_
#define EPIK_REPORT_VIEWS_TREE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/figures.h"

namespace epik::report {

struct Branch {
  uint32_t region = 0;
  uint32_t parent = archive::kNone;
  double inclusive = 0;  // sums over locations, of this branch and all branches below it
  double exclusive = 0;
  double weight = 0;  // the inclusive time; in a difference of profiles, the sum of exclusive times without their signs
  uint64_t visits = 0;
  int levels = 0;                   // of recursion; 1: none
  bool again = false;               // a call that leads back to a branch above, which has its time and children
  std::vector<uint32_t> outermost;  // the call paths of this branch that are not inside another call path of the branch
  std::vector<uint32_t> children;   // hottest first
};

// Without folding, each call path is a branch of its own.
class Tree {
 public:
  Tree(const Figures& figures, bool fold_recursion);

  const Branch& at(uint32_t branch) const { return branches_[branch]; }
  size_t size() const { return branches_.size(); }
  const std::vector<uint32_t>& roots() const { return roots_; }

  Spread Imbalance(const Figures& figures, uint32_t branch) const;
  // Names from the root to the branch, without an artificial root.
  std::vector<std::string_view> PathNames(const Figures& figures, uint32_t branch) const;
  // For each branch, whether its path "a > b > c", of these names, matches the pattern.
  std::vector<bool> Matching(const Figures& figures, std::string_view pattern) const;

 private:
  bool IsArtificial(const Figures& figures, uint32_t branch) const {
    return figures.profile.regions[at(branch).region].role == "artificial";
  }

  std::vector<Branch> branches_;
  std::vector<uint32_t> roots_;
};

struct Choice {
  size_t most = 0;                            // the most branches to show, the hottest ones; 0: all
  double least_weight = 0;                    // colder branches are left out
  int depth = 0;                              // levels to show; 0: all
  double passes_on = 0;                       // branches with less exclusive time and one child do not count for `most`
  const std::vector<bool>* wanted = nullptr;  // only these; a wanted branch has wanted parents
};

// For each branch, whether it is shown. The result is a tree again, because no branch weighs more than its parent.
std::vector<bool> ChooseHottest(const Tree& tree, const Choice& choice);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_TREE_H_
