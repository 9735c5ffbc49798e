/* SPDX-License-Identifier: BSD-3-Clause */
/* Two ranks make a communicator in each way, name it after the way, and free it. */
#include <mpi.h>
#include <stddef.h>

static void End(MPI_Comm comm, const char* name) {
  if (comm == MPI_COMM_NULL) return;
  MPI_Comm_set_name(comm, name);
  MPI_Comm_free(&comm);
}

static int Copy(MPI_Comm comm, int keyval, void* extra, void* in, void* out, int* flag) {
  (void)comm, (void)keyval, (void)extra;
  *(void**)out = in;
  *flag = 1;
  return MPI_SUCCESS;
}

static void Copies(void) {
  MPI_Comm comm;
  MPI_Request request;
  int keyval;
  /* The program's own function runs within the call that copies. */
  MPI_Comm_create_keyval(Copy, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &keyval);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  End(comm, "dup");
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  End(comm, "dup_with_info");
  MPI_Comm_idup(MPI_COMM_WORLD, &comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  End(comm, "idup");
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_name(comm, "disconnect");
  MPI_Comm_disconnect(&comm);
}

static void Parts(int rank) {
  MPI_Comm comm;
  MPI_Group all, first;
  const int zero = 0;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
  End(comm, "split");
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 1, 0, &comm);
  End(comm, "split one");
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
  End(comm, "split_type");
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &zero, &first);
  MPI_Comm_create(MPI_COMM_WORLD, first, &comm);
  End(comm, "create");
  if (rank == 0) {
    MPI_Comm_create_group(MPI_COMM_WORLD, first, 7, &comm);
    End(comm, "create_group");
  }
  MPI_Group_free(&all);
  MPI_Group_free(&first);
}

static void Shapes(int rank) {
  const int sizes[2] = {2, 1}, periods[2] = {0, 0}, kept[2] = {0, 1};
  const int index[2] = {1, 2}, edges[2] = {1, 0}, other = 1 - rank, weight = 1;
  MPI_Comm grid, comm;
  MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
  MPI_Cart_sub(grid, kept, &comm);
  End(comm, "cart_sub");
  End(grid, "cart");
  MPI_Graph_create(MPI_COMM_WORLD, 2, index, edges, 0, &comm);
  End(comm, "graph");
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &weight, 1, &other, &weight, MPI_INFO_NULL, 0, &comm);
  End(comm, "dist_graph");
}

static void Between(int rank) {
  MPI_Comm half, inter, merged;
  int in = 0;
  MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank, 5, &inter);
  if (rank == 0) MPI_Send(&rank, 1, MPI_INT, 0, 9, inter);
  if (rank == 1) MPI_Recv(&in, 1, MPI_INT, 0, 9, inter, MPI_STATUS_IGNORE);
  MPI_Intercomm_merge(inter, rank, &merged);
  End(merged, "merge");
  End(inter, "inter");
  End(half, rank == 0 ? "first half" : "second half");
}

int main(int argc, char** argv) {
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Copies();
  Parts(rank);
  Shapes(rank);
  Between(rank);
  MPI_Comm kept; /* not freed */
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  MPI_Comm_set_name(kept, "kept");
  MPI_Finalize();
  return 0;
}
