// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/tree_calls.h"

#include <mpi.h>

#include <cstring>

#include "adapters/abi/coll_tree.h"
#include "adapters/mpi/fortran.h"
#include "adapters/mpi/link_delay.h"
#include "adapters/mpi/operands.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/tree_collectives.h"
#include "adapters/mpi/tree_comm.h"
#include "adapters/mpi/types.h"
#include "flavour.h"

namespace epik::mpi {

namespace {

// More data would take too much memory on the way.
constexpr uint64_t kMostBytes = 64u << 20;

struct {
  decltype(&PMPI_Barrier) barrier;
  decltype(&PMPI_Bcast) bcast;
  decltype(&PMPI_Reduce) reduce;
  decltype(&PMPI_Allreduce) allreduce;
  decltype(&PMPI_Gather) gather;
  decltype(&PMPI_Allgather) allgather;
} real;

// Errors go to the error handler of the communicator that the program knows: by their class, because MPICH refuses
// codes that another call made.
int Told(MPI_Comm comm, int error) {
  if (error == MPI_SUCCESS) return error;
  int of_class = MPI_ERR_OTHER;
  pmpi.Error_class(error, &of_class);
  pmpi.Comm_call_errhandler(comm, of_class);
  return of_class;
}

// All processes of the call must come to the same answer, so these functions look only at what must be equal in all of
// them: the amount of data, the operation, the communicator.
bool CanMove(const TreeComm* comm, int count, MPI_Datatype type, int root, uint64_t times = 1) {
  if (comm == nullptr || count < 0 || root < 0 || root >= comm->size() || !IsType(type)) return false;
  return static_cast<uint64_t>(count) * SizeOf(type) <= kMostBytes / times;
}

bool CanReduce(const TreeComm* comm, int count, MPI_Datatype type, MPI_Op op, int root) {
  if (!CanMove(comm, count, type, root) || !IsDefined(op, type)) return false;
  return comm->tree().IsOrdered() || Commutes(op);
}

int OwnBarrier(MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  return tree == nullptr ? real.barrier(comm) : Told(comm, TreeBarrier(tree));
}

int OwnBcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanMove(tree, count, type, root)) return real.bcast(buffer, count, type, root, comm);
  return Told(comm, TreeBcast(tree, buffer, count, type, root));
}

int OwnReduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanReduce(tree, count, type, op, root)) return real.reduce(send, recv, count, type, op, root, comm);
  const Reduction reduction = {send == MPI_IN_PLACE ? recv : send, count, type, op};
  return Told(comm, TreeReduce(tree, reduction, recv, root));
}

int OwnAllreduce(const void* send, void* recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanReduce(tree, count, type, op, 0)) return real.allreduce(send, recv, count, type, op, comm);
  const Reduction reduction = {send == MPI_IN_PLACE ? recv : send, count, type, op};
  return Told(comm, TreeAllreduce(tree, reduction, recv));
}

int OwnGather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int count, MPI_Datatype type,
              int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  const bool is_root = tree != nullptr && tree->rank() == root;
  const int amount = is_root ? count : send_count;
  const MPI_Datatype of = is_root ? type : send_type;
  if (!CanMove(tree, amount, of, root, tree == nullptr ? 1 : static_cast<uint64_t>(tree->size()))) {
    return real.gather(send, send_count, send_type, recv, count, type, root, comm);
  }
  const int bytes = static_cast<int>(static_cast<uint64_t>(amount) * SizeOf(of));
  const EachBlock blocks = {send, send_count, send_type, recv, count, type, bytes};
  return Told(comm, TreeGather(tree, blocks, root));
}

int OwnAllgather(const void* send, int send_count, MPI_Datatype send_type, void* recv, int count, MPI_Datatype type,
                 MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanMove(tree, count, type, 0, tree == nullptr ? 1 : static_cast<uint64_t>(tree->size()))) {
    return real.allgather(send, send_count, send_type, recv, count, type, comm);
  }
  const int bytes = static_cast<int>(static_cast<uint64_t>(count) * SizeOf(type));
  const EachBlock blocks = {send, send_count, send_type, recv, count, type, bytes};
  return Told(comm, TreeAllgather(tree, blocks));
}

// Fortran passes addresses.
const void* bottom = nullptr;
int Value(const void* number) { return *static_cast<const MPI_Fint*>(number); }
void* Data(void* given) {
  if (given != nullptr && given == constants.fortran_in_place) return MPI_IN_PLACE;
  return given != nullptr && given == bottom ? MPI_BOTTOM : given;
}

void FortranBarrier(void* comm, MPI_Fint* error) { *error = OwnBarrier(CommOf(comm)); }
void FortranBcast(void* buffer, void* count, void* type, void* root, void* comm, MPI_Fint* error) {
  *error = OwnBcast(Data(buffer), Value(count), TypeOf(type), Value(root), CommOf(comm));
}
void FortranReduce(void* send, void* recv, void* count, void* type, void* op, void* root, void* comm, MPI_Fint* error) {
  *error = OwnReduce(Data(send), Data(recv), Value(count), TypeOf(type), OpOf(op), Value(root), CommOf(comm));
}
void FortranAllreduce(void* send, void* recv, void* count, void* type, void* op, void* comm, MPI_Fint* error) {
  *error = OwnAllreduce(Data(send), Data(recv), Value(count), TypeOf(type), OpOf(op), CommOf(comm));
}
void FortranGather(void* send, void* send_count, void* send_type, void* recv, void* count, void* type, void* root,
                   void* comm, MPI_Fint* error) {
  *error = OwnGather(Data(send), Value(send_count), TypeOf(send_type), Data(recv), Value(count), TypeOf(type),
                     Value(root), CommOf(comm));
}
void FortranAllgather(void* send, void* send_count, void* send_type, void* recv, void* count, void* type, void* comm,
                      MPI_Fint* error) {
  *error = OwnAllgather(Data(send), Value(send_count), TypeOf(send_type), Data(recv), Value(count), TypeOf(type),
                        CommOf(comm));
}

struct Row {
  const char* c;
  const char* fortran;  // without its ending
  void* own;
  void* own_fortran;
};
#define EPIK_OWN(name, low) \
  { "MPI_" #name, "mpi_" #low "_", reinterpret_cast<void*>(Own##name), reinterpret_cast<void*>(Fortran##name) }
const Row rows[] = {EPIK_OWN(Barrier, barrier),     EPIK_OWN(Bcast, bcast),   EPIK_OWN(Reduce, reduce),
                    EPIK_OWN(Allreduce, allreduce), EPIK_OWN(Gather, gather), EPIK_OWN(Allgather, allgather)};
#undef EPIK_OWN

template <class Function>
void FindReal(Function** function, const char* symbol) {
  *function = reinterpret_cast<Function*>(FindNext(symbol));
}

void FindReals() {
  FindReal(&real.barrier, "MPI_Barrier");
  FindReal(&real.bcast, "MPI_Bcast");
  FindReal(&real.reduce, "MPI_Reduce");
  FindReal(&real.allreduce, "MPI_Allreduce");
  FindReal(&real.gather, "MPI_Gather");
  FindReal(&real.allgather, "MPI_Allgather");
  bottom = FindDatum("mpi_fortran_bottom_");
}

}  // namespace

// Calls within MPI_Init come before the job has agreed on a tree. Until then, MPI carries out all operations.
void* InsteadOf(const char* symbol, void* real_one) {
  for (const Row& row : rows) {
    const bool is_c = std::strcmp(symbol, row.c) == 0;
    const size_t length = std::strlen(row.fortran);
    const bool is_fortran = kFortranPassesAddresses && std::strncmp(symbol, row.fortran, length) == 0 &&
                            (symbol[length] == '\0' || std::strcmp(symbol + length, "f08_") == 0);
    if (!is_c && !is_fortran) continue;
    if (epik_adapter_wants_tree() == 0) break;
    FindReals();
    return is_c ? row.own : row.own_fortran;
  }
  return real_one;
}

void BeginTrees() {
  if (epik_adapter_coll_tree()->kind == EpikTreeKind::kOff) return;
  KnowOperands();
  KnowLinkDelay();
  TreeComm::Begin();
}

void EndTrees() { TreeComm::End(); }

}  // namespace epik::mpi
