// SPDX-License-Identifier: BSD-3-Clause
// EPK_COLL_TREE: which calls of MPI's collective operations EPIK carries out itself. All that it cannot do is MPI's.
#ifndef EPIK_ADAPTERS_MPI_TREE_CALLS_H_
#define EPIK_ADAPTERS_MPI_TREE_CALLS_H_

namespace epik::mpi {

// Returns the function that a wrapper calls: `real`, unless EPK_COLL_TREE is set. So trees cost nothing when they are
// off.
void* InsteadOf(const char* symbol, void* real);

// MPI is up, and about to go.
void BeginTrees();
void EndTrees();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TREE_CALLS_H_
