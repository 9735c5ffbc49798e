// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/collectives.h"

namespace epik::mpi {

Members MembersOf(MPI_Comm comm) {
  Members members = {};
  int is_inter = 0;
  pmpi.Comm_test_inter(comm, &is_inter);
  pmpi.Comm_rank(comm, &members.rank);
  is_inter != 0 ? pmpi.Comm_remote_size(comm, &members.peers) : pmpi.Comm_size(comm, &members.peers);
  members.is_inter = is_inter != 0;
  return members;
}

Neighbors::Neighbors(MPI_Comm comm) : comm_(comm) {
  pmpi.Topo_test(comm, &shape_);
  if (shape_ == MPI_CART) {
    pmpi.Cartdim_get(comm, &in_);
    in_ = out_ = 2 * in_;
  } else if (shape_ == MPI_GRAPH) {
    int rank = 0;
    pmpi.Comm_rank(comm, &rank);
    pmpi.Graph_neighbors_count(comm, rank, &in_);
    out_ = in_;
  } else if (shape_ == MPI_DIST_GRAPH) {
    int is_weighted = 0;
    pmpi.Dist_graph_neighbors_count(comm, &in_, &out_, &is_weighted);
  }
}

// Cartesian neighbours are ordered: for each dimension the one before, then the one after.
bool Neighbors::IsInside(int place) const {
  int before = MPI_PROC_NULL;
  int after = MPI_PROC_NULL;
  pmpi.Cart_shift(comm_, place / 2, 1, &before, &after);
  return (place % 2 == 0 ? before : after) != MPI_PROC_NULL;
}

}  // namespace epik::mpi
