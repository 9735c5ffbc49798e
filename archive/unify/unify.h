// SPDX-License-Identifier: BSD-3-Clause
// Unifies the definitions of all processes of a job. They are merged pairwise on the way to rank 0, which decides about
// the final names and numbers. The new numbers of each process go back down the same tree.
//
// Each step merges two sets. When processes agree, as they mostly do, a step costs as much as a single set.
#ifndef EPIK_ARCHIVE_UNIFY_UNIFY_H_
#define EPIK_ARCHIVE_UNIFY_UNIFY_H_

#include <vector>

#include "archive/parts/definitions.h"
#include "runtime/abi/group.h"

namespace epik::archive {

class Unifier {
 public:
  explicit Unifier(Group* group) : group_(group) {}

  // Collective. `parts` are the definitions of the processes whose arenas this process has, in their order.
  void Gather(const std::vector<const Definitions*>& parts);

  // Call it after Gather. At rank 0: all definitions. On other ranks: the definitions of this subtree.
  const Definitions& all() const { return all_; }

  // Collective. `at_last` matters only at rank 0: the final number of each definition of all().
  void Scatter(const Mapping& at_last);

  // The final numbers of each part's definitions.
  const std::vector<Mapping>& of_parts() const { return of_parts_; }

 private:
  Group* group_;
  Definitions all_;
  std::vector<Mapping> of_parts_, of_children_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_UNIFY_H_
