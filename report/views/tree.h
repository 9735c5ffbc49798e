// SPDX-License-Identifier: BSD-3-Clause
// The call tree as people want to see it: recursion folded into one branch, the hottest branches chosen.
#ifndef EPIK_REPORT_VIEWS_TREE_H_
#define EPIK_REPORT_VIEWS_TREE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "report/figures.h"

namespace epik::report {

struct Branch {
  uint32_t region = 0;
  uint32_t parent = epitome::kNone;
  double inclusive = 0;  // sums over locations: of this branch and all below it
  double exclusive = 0;
  uint64_t visits = 0;
  int levels = 0;                   // of recursion; 1: none
  bool again = false;               // marks where a call leads back to a branch above, which has its time and children
  std::vector<uint32_t> outermost;  // the call paths of this branch that are not inside another of its own
  std::vector<uint32_t> children;   // hottest first
};

// Without folding, every call path is a branch of its own.
class Tree {
 public:
  Tree(const Figures& figures, bool fold_recursion);

  const Branch& at(uint32_t branch) const { return branches_[branch]; }
  size_t size() const { return branches_.size(); }
  const std::vector<uint32_t>& roots() const { return roots_; }

  Spread Imbalance(const Figures& figures, uint32_t branch) const;
  // Names from the root to the branch, without an artificial root.
  std::vector<std::string_view> PathNames(const Figures& figures, uint32_t branch) const;

 private:
  std::vector<Branch> branches_;
  std::vector<uint32_t> roots_;
};

struct Choice {
  size_t most = 0;                            // so many branches at most, the hottest; 0: all
  double least_inclusive = 0;                 // colder ones are left out
  int depth = 0;                              // levels to show; 0: all
  double passes_on = 0;                       // branches with less exclusive time and one child do not count for `most`
  const std::vector<bool>* wanted = nullptr;  // only these; a wanted branch has wanted parents
};

// For every branch, whether it is shown: a tree again, since no branch is hotter than its parent.
std::vector<bool> ChooseHottest(const Tree& tree, const Choice& choice);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_TREE_H_
