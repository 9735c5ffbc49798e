// SPDX-License-Identifier: BSD-3-Clause
// One set of definitions for all processes of a job. They are merged pairwise on the way to rank 0, which decides what
// they are called and numbered in the end; what became of each process's own goes back down the same tree.
//
// Each step is a merge of sets: where processes agree its cost is that of one of them, however many there are.
#ifndef EPIK_ARCHIVE_UNIFY_UNIFY_H_
#define EPIK_ARCHIVE_UNIFY_UNIFY_H_

#include <vector>

#include "archive/parts/definitions.h"
#include "runtime/abi/group.h"

namespace epik::archive {

class Unifier {
 public:
  explicit Unifier(Group* group) : group_(group), set_(&all_) {}

  // Collective. `parts`: the processes whose data this one has, in order.
  void Gather(const std::vector<const Definitions*>& parts);

  // At rank 0: everything there is. Elsewhere: what there is in this subtree.
  const Definitions& all() const { return all_; }

  // Collective. `at_last` counts at rank 0 alone: the last number of each of all().
  void Scatter(const Mapping& at_last);

  // The last numbers of what each part defined.
  const std::vector<Mapping>& of_parts() const { return of_parts_; }

 private:
  Group* group_;
  Definitions all_;
  DefinitionSet set_;
  std::vector<Mapping> of_parts_, of_children_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_UNIFY_H_
