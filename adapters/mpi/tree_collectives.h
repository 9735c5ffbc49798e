// SPDX-License-Identifier: BSD-3-Clause
// Collective operations along a spanning tree. The order in which operands are combined depends on the tree alone, not
// on who comes first, nor on the root: the same operands give the same bits.
//
// All REQUIRE arguments that TreeCalls (tree_calls.cc) has looked at, and return an error of MPI or none.
#ifndef EPIK_ADAPTERS_MPI_TREE_COLLECTIVES_H_
#define EPIK_ADAPTERS_MPI_TREE_COLLECTIVES_H_

#include <mpi.h>

#include "adapters/mpi/tree_comm.h"

namespace epik::mpi {

int TreeBarrier(TreeComm* comm);
int TreeBcast(TreeComm* comm, void* buffer, int count, MPI_Datatype type, int root);

// The buffers of a reduction. This process gives `own`.
struct Reduction {
  const void* own;
  int count;
  MPI_Datatype type;
  MPI_Op op;
};
int TreeReduce(TreeComm* comm, const Reduction& reduction, void* result, int root);
int TreeAllreduce(TreeComm* comm, const Reduction& reduction, void* result);

// A block of each process. `own`: null when it is in its place already.
struct EachBlock {
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
