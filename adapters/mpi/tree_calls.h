// SPDX-License-Identifier: BSD-3-Clause
// EPK_COLL_TREE: carries out calls of MPI's collective operations in place of MPI. MPI does those that EPIK cannot do.
#ifndef EPIK_ADAPTERS_MPI_TREE_CALLS_H_
#define EPIK_ADAPTERS_MPI_TREE_CALLS_H_

namespace epik::mpi {

// The function that a wrapper calls instead of `real`. It is `real` itself unless EPK_COLL_TREE is set, so trees cost
// nothing when they are off.
void* InsteadOf(const char* symbol, void* real);

// BeginTrees: MPI is up. EndTrees: MPI is about to end.
void BeginTrees();
void EndTrees();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TREE_CALLS_H_
