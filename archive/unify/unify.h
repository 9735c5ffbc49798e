// SPDX-License-Identifier: BSD-3-Clause
// Unifies the definitions of all processes of a job. They are merged pairwise on the way to rank 0, which decides on
// the final names and numbers; the new numbers of each process go back down the same tree.
//
// Each step merges two sets. When processes agree, as they mostly do, the cost of a step is that of one set.
#ifndef EPIK_ARCHIVE_UNIFY_UNIFY_H_
#define EPIK_ARCHIVE_UNIFY_UNIFY_H_

#include <vector>

#include "archive/parts/definitions.h"
#include "runtime/abi/group.h"

namespace epik::archive {

class Unifier {
 public:
  explicit Unifier(Group* group) : group_(group) {}

  // Collective. `parts` are the definitions of the processes whose arenas this process has, in order.
  void Gather(const std::vector<const Definitions*>& parts);

  // After Gather. At rank 0: all definitions. Elsewhere: those of this subtree.
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
