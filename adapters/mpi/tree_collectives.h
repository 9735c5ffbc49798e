// SPDX-License-Identifier: BSD-3-Clause
// Collective operations along a spanning tree. The order in which operands are combined depends only on the tree, not
// on which process comes first, nor on the root. So the same operands give the same bits.
//
// All functions REQUIRE arguments that TreeCalls (tree_calls.cc) has checked, and return MPI's error code.
#ifndef EPIK_ADAPTERS_MPI_TREE_COLLECTIVES_H_
#define EPIK_ADAPTERS_MPI_TREE_COLLECTIVES_H_

#include <mpi.h>

#include "adapters/mpi/tree_comm.h"

namespace epik::mpi {

int TreeBarrier(TreeComm* comm);
int TreeBcast(TreeComm* comm, void* buffer, int count, MPI_Datatype type, int root);

// The arguments of a reduction. `own`: the operand of this process.
struct Reduction {
  const void* own;
  int count;
  MPI_Datatype type;
  MPI_Op op;
};
int TreeReduce(TreeComm* comm, const Reduction& reduction, void* result, int root);
int TreeAllreduce(TreeComm* comm, const Reduction& reduction, void* result);

// One block for each process. `own`: this process's block; null is an address like others (MPI_BOTTOM).
struct EachBlock {
  bool IsInPlace() const { return own == MPI_IN_PLACE; }

  const void* own;
  int own_count;
  MPI_Datatype own_type;
  void* all;  // by rank; of `count` elements each
  int count;
  MPI_Datatype type;
  int bytes;  // of a block
};
int TreeGather(TreeComm* comm, const EachBlock& blocks, int root);
int TreeAllgather(TreeComm* comm, const EachBlock& blocks);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TREE_COLLECTIVES_H_
