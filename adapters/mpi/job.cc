// SPDX-License-Identifier: BSD-3-Clause
// Messages of ours go through a communicator of our own: the program can neither receive nor delay them.
#include "adapters/mpi/job.h"

#include <climits>

#include "adapters/abi/abi.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/types.h"
#include "flavour.h"

namespace epik::mpi {
namespace {

constexpr int kTag = 1;

MPI_Comm own_comm;
EpikProcessGroup group;
bool joined = false;

// A message of any size is one message: more bytes than an int can count are one element of a type made for it.
class Letter {
 public:
  explicit Letter(uint64_t size) : count_(static_cast<int>(size)), type_(Byte()) {
    if (size <= INT_MAX) return;
    const int rest = static_cast<int>(size % INT_MAX);
    MPI_Datatype large;
    MPI_Aint begins[2] = {0, static_cast<MPI_Aint>(size - static_cast<uint64_t>(rest))};
    MakeLarge(size / INT_MAX, &large);
    int one[2] = {1, rest};
    MPI_Datatype types[2] = {large, Byte()};
    pmpi.Type_create_struct(2, one, begins, types, &type_);
    pmpi.Type_commit(&type_);
    pmpi.Type_free(&large);
    count_ = 1;
    is_own_ = true;
  }
  ~Letter() {
    if (is_own_) pmpi.Type_free(&type_);
  }
  Letter(const Letter&) = delete;
  Letter& operator=(const Letter&) = delete;
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  static void MakeLarge(uint64_t pieces, MPI_Datatype* type) {
    MPI_Datatype piece;
    pmpi.Type_contiguous(INT_MAX, Byte(), &piece);
    pmpi.Type_contiguous(static_cast<int>(pieces), piece, type);
    pmpi.Type_free(&piece);
  }

  int count_;
  MPI_Datatype type_;
  bool is_own_ = false;
};

int Send(void*, int to, const void* bytes, uint64_t size) {
  const Letter letter(size);
  return pmpi.Send(bytes, letter.count(), letter.type(), to, kTag, own_comm);
}

int NextSize(void*, int from, uint64_t* size) {
  MPI_Status status;
  MPI_Count bytes = 0;
  int error = pmpi.Probe(from, kTag, own_comm, &status);
  if (error == MPI_SUCCESS) error = pmpi.Get_elements_x(&status, Byte(), &bytes);
  *size = static_cast<uint64_t>(bytes);
  return error;
}

int Receive(void*, int from, void* bytes, uint64_t size) {
  const Letter letter(size);
  MPI_Status status;
  return pmpi.Recv(bytes, letter.count(), letter.type(), from, kTag, own_comm, &status);
}

}  // namespace

bool clocks_drift = false;

void Join() {
  if (joined || epik_adapter_version() != kEpikAdapterVersion) return;
  if (pmpi.Comm_dup(World(), &own_comm) != MPI_SUCCESS) return;
  // What goes wrong here is ours to live with, not the program's.
  pmpi.Comm_set_errhandler(own_comm, ErrorsReturn());
  pmpi.Comm_rank(own_comm, &group.rank);
  pmpi.Comm_size(own_comm, &group.size);
  group.send = Send;
  group.next_size = NextSize;
  group.receive = Receive;
  joined = true;
  epik_adapter_join(&group);
  clocks_drift = epik_adapter_clocks_drift() != 0;
  if (epik_adapter_mpi_groups() == 0) return;
  KnowComms();
  KnowTypes();
}

// Whether or not the barrier came to an error here: the others count it too.
void AfterBarrier(MPI_Comm comm, const void* stack) {
  if (joined && comm == World()) epik_adapter_barrier(&group, stack);
}

void Leave() {
  if (!joined) return;
  joined = false;
  clocks_drift = false;
  epik_adapter_finalize(&group);
  pmpi.Comm_free(&own_comm);
}

void Abandon(int code) { epik_adapter_abort(code); }

}  // namespace epik::mpi
