// SPDX-License-Identifier: BSD-3-Clause
// The MPI library below us. We are not linked to it, so a process without MPI can load us. The program's library is
// found at its first call: linked, loaded late, or behind another tool that wraps MPI.
#ifndef EPIK_ADAPTERS_MPI_PMPI_H_
#define EPIK_ADAPTERS_MPI_PMPI_H_

#include <mpi.h>

namespace epik::mpi {

// The functions that we call ourselves. Never call MPI_…, which would be an event.
#define EPIK_PMPI_FUNCTIONS(F)  \
  F(Allreduce)                  \
  F(Bcast)                      \
  F(Cart_get)                   \
  F(Cart_shift)                 \
  F(Cartdim_get)                \
  F(Comm_call_errhandler)       \
  F(Comm_create)                \
  F(Comm_create_keyval)         \
  F(Comm_delete_attr)           \
  F(Comm_free)                  \
  F(Comm_free_keyval)           \
  F(Comm_get_attr)              \
  F(Comm_get_name)              \
  F(Comm_group)                 \
  F(Comm_rank)                  \
  F(Comm_remote_group)          \
  F(Comm_remote_size)           \
  F(Comm_set_attr)              \
  F(Comm_set_errhandler)        \
  F(Comm_size)                  \
  F(Comm_test_inter)            \
  F(Dist_graph_neighbors)       \
  F(Dist_graph_neighbors_count) \
  F(Error_class)                \
  F(Get_elements_x)             \
  F(Get_library_version)        \
  F(Graph_neighbors)            \
  F(Graph_neighbors_count)      \
  F(Grequest_complete)          \
  F(Grequest_start)             \
  F(Group_free)                 \
  F(Group_size)                 \
  F(Group_translate_ranks)      \
  F(Irecv)                      \
  F(Isend)                      \
  F(Op_commutative)             \
  F(Pack)                       \
  F(Probe)                      \
  F(Query_thread)               \
  F(Recv)                       \
  F(Reduce_local)               \
  F(Request_free)               \
  F(Request_get_status)         \
  F(Send)                       \
  F(Send_init)                  \
  F(Sendrecv)                   \
  F(Topo_test)                  \
  F(Type_commit)                \
  F(Type_contiguous)            \
  F(Type_create_struct)         \
  F(Type_free)                  \
  F(Type_get_extent)            \
  F(Type_get_true_extent)       \
  F(Type_size)                  \
  F(Type_size_x)                \
  F(Unpack)                     \
  F(Wait)                       \
  F(Waitany)                    \
  F(Win_get_group)              \
  F(Win_get_name)

struct Pmpi {
#define EPIK_PMPI_MEMBER(name) decltype(&PMPI_##name) name;
  EPIK_PMPI_FUNCTIONS(EPIK_PMPI_MEMBER)
#undef EPIK_PMPI_MEMBER
};
extern Pmpi pmpi;

// The definition of `symbol` that the program would use without us, or null.
void* FindNext(const char* symbol);
// The address of a datum of the library, as the program sees it.
void* FindDatum(const char* symbol);

// Fills in `pmpi` and the flavour's constants, once. Any thread may call it; it must come before all other uses.
void FindLibrary();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_PMPI_H_
