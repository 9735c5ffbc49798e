// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/tree_calls.h"

#include <mpi.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstdio>
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

// MPI's own functions, with counts of int or, since MPI 4, of MPI_Count.
template <class Count>
struct Real {
  int (*barrier)(MPI_Comm);  // counts nothing: of int only
  int (*bcast)(void*, Count, MPI_Datatype, int, MPI_Comm);
  int (*reduce)(const void*, void*, Count, MPI_Datatype, MPI_Op, int, MPI_Comm);
  int (*allreduce)(const void*, void*, Count, MPI_Datatype, MPI_Op, MPI_Comm);
  int (*gather)(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, int, MPI_Comm);
  int (*allgather)(const void*, Count, MPI_Datatype, void*, Count, MPI_Datatype, MPI_Comm);
};
template <class Count>
Real<Count> real;

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
// them: the amount of data, the operation, the communicator. One process may count in int and another one in MPI_Count.
bool CanMove(const TreeComm* comm, int64_t count, MPI_Datatype type, int root, uint64_t times = 1) {
  if (comm == nullptr || count < 0 || root < 0 || root >= comm->size() || !IsType(type)) return false;
  const uint64_t size = SizeOf(type);
  return size == 0 || static_cast<uint64_t>(count) <= kMostBytes / times / size;
}

bool CanReduce(const TreeComm* comm, int64_t count, MPI_Datatype type, MPI_Op op, int root) {
  if (!CanMove(comm, count, type, root) || !IsDefined(op, type)) return false;
  return comm->tree().IsOrdered() || Commutes(op);
}

// Only elements without data can be more than an int counts: CanMove refuses others.
int AsInt(int64_t count) { return static_cast<int>(std::min<int64_t>(count, INT_MAX)); }

int OwnBarrier(MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  return tree == nullptr ? real<int>.barrier(comm) : Told(comm, TreeBarrier(tree));
}

template <class Count>
int OwnBcast(void* buffer, Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanMove(tree, count, type, root)) return real<Count>.bcast(buffer, count, type, root, comm);
  return Told(comm, TreeBcast(tree, buffer, AsInt(count), type, root));
}

template <class Count>
int OwnReduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanReduce(tree, count, type, op, root)) return real<Count>.reduce(send, recv, count, type, op, root, comm);
  const Reduction reduction = {send == MPI_IN_PLACE ? recv : send, AsInt(count), type, op};
  return Told(comm, TreeReduce(tree, reduction, recv, root));
}

template <class Count>
int OwnAllreduce(const void* send, void* recv, Count count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanReduce(tree, count, type, op, 0)) return real<Count>.allreduce(send, recv, count, type, op, comm);
  const Reduction reduction = {send == MPI_IN_PLACE ? recv : send, AsInt(count), type, op};
  return Told(comm, TreeAllreduce(tree, reduction, recv));
}

template <class Count>
int OwnGather(const void* send, Count send_count, MPI_Datatype send_type, void* recv, Count count, MPI_Datatype type,
              int root, MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  const bool is_root = tree != nullptr && tree->rank() == root;
  const Count amount = is_root ? count : send_count;
  const MPI_Datatype of = is_root ? type : send_type;
  if (!CanMove(tree, amount, of, root, tree == nullptr ? 1 : static_cast<uint64_t>(tree->size()))) {
    return real<Count>.gather(send, send_count, send_type, recv, count, type, root, comm);
  }
  const int bytes = static_cast<int>(static_cast<uint64_t>(amount) * SizeOf(of));
  const EachBlock blocks = {send, AsInt(send_count), send_type, recv, AsInt(count), type, bytes};
  return Told(comm, TreeGather(tree, blocks, root));
}

template <class Count>
int OwnAllgather(const void* send, Count send_count, MPI_Datatype send_type, void* recv, Count count, MPI_Datatype type,
                 MPI_Comm comm) {
  TreeComm* tree = TreeComm::Of(comm);
  if (!CanMove(tree, count, type, 0, tree == nullptr ? 1 : static_cast<uint64_t>(tree->size()))) {
    return real<Count>.allgather(send, send_count, send_type, recv, count, type, comm);
  }
  const int bytes = static_cast<int>(static_cast<uint64_t>(count) * SizeOf(type));
  const EachBlock blocks = {send, AsInt(send_count), send_type, recv, AsInt(count), type, bytes};
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
  const char* large;    // the same with MPI_Count
  const char* fortran;  // without its ending
  void* own;
  void* own_large;
  void* own_fortran;
};
template <class Function>
void* Address(Function* function) {
  return reinterpret_cast<void*>(function);
}
#define EPIK_OWN(name, low)                                                                                   \
  {                                                                                                           \
    "MPI_" #name, "MPI_" #name "_c", "mpi_" #low "_", Address(Own##name<int>), Address(Own##name<MPI_Count>), \
        Address(Fortran##name)                                                                                \
  }
const Row rows[] = {{"MPI_Barrier", "", "mpi_barrier_", Address(OwnBarrier), nullptr, Address(FortranBarrier)},
                    EPIK_OWN(Bcast, bcast),
                    EPIK_OWN(Reduce, reduce),
                    EPIK_OWN(Allreduce, allreduce),
                    EPIK_OWN(Gather, gather),
                    EPIK_OWN(Allgather, allgather)};
#undef EPIK_OWN

template <class Function>
void FindReal(Function** function, const char* name, const char* ending) {
  char symbol[32];
  std::snprintf(symbol, sizeof symbol, "%s%s", name, ending);
  *function = reinterpret_cast<Function*>(FindNext(symbol));
}

template <class Count>
void FindReals(const char* ending) {
  FindReal(&real<Count>.bcast, "MPI_Bcast", ending);
  FindReal(&real<Count>.reduce, "MPI_Reduce", ending);
  FindReal(&real<Count>.allreduce, "MPI_Allreduce", ending);
  FindReal(&real<Count>.gather, "MPI_Gather", ending);
  FindReal(&real<Count>.allgather, "MPI_Allgather", ending);
}

void FindAllReals() {
  FindReal(&real<int>.barrier, "MPI_Barrier", "");
  FindReals<int>("");
  FindReals<MPI_Count>("_c");
  bottom = FindDatum("mpi_fortran_bottom_");
}

}  // namespace

// Calls within MPI_Init come before the job has agreed on a tree. Until then, MPI carries out all operations.
void* InsteadOf(const char* symbol, void* real_one) {
  for (const Row& row : rows) {
    const bool is_c = std::strcmp(symbol, row.c) == 0;
    const bool is_large = std::strcmp(symbol, row.large) == 0;
    const size_t length = std::strlen(row.fortran);
    const bool is_fortran = kFortranPassesAddresses && std::strncmp(symbol, row.fortran, length) == 0 &&
                            (symbol[length] == '\0' || std::strcmp(symbol + length, "f08_") == 0);
    if (!is_c && !is_large && !is_fortran) continue;
    if (epik_adapter_wants_tree() == 0) break;
    FindAllReals();
    return is_c ? row.own : is_large ? row.own_large : row.own_fortran;
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
