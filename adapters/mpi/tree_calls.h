// SPDX-License-Identifier: BSD-3-Clause
// EPK_COLL_TREE: which calls of MPI's collective operations EPIK carries out itself. All that it cannot do is MPI's.
#ifndef EPIK_ADAPTERS_MPI_TREE_CALLS_H_
#define EPIK_ADAPTERS_MPI_TREE_CALLS_H_

namespace epik::mpi {

// What a wrapper calls instead of `real`: nothing else, unless the program asks for trees. So these cost nothing when
// they are off.
void* InsteadOf(const char* symbol, void* real);

// MPI is up, and about to go.
void BeginTrees();
void EndTrees();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TREE_CALLS_H_
