// SPDX-License-Identifier: BSD-3-Clause
// EPIK's messages go through a communicator of its own, so that the program can neither receive nor delay them. Only
// the messages in MPI_Init go through MPI_COMM_WORLD, because the program cannot have sent any yet: each of them is
// received before this process leaves MPI_Init. So a job has one communicator more only while it ends, or when its
// clocks are measured again at barriers.
#include "adapters/mpi/job.h"

#include <climits>

#include "adapters/abi/abi.h"
#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/counting.h"
#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/requests.h"
#include "adapters/mpi/steps.h"
#include "adapters/mpi/tree_calls.h"
#include "adapters/mpi/types.h"
#include "flavour.h"

namespace epik::mpi {
namespace {

constexpr int kTag =
    29'874;  // all tags up to 32 767 are valid; programs that send too early are unlikely to use this one

MPI_Comm used;  // MPI_COMM_WORLD, or one of our own
bool is_own = false;
EpikProcessGroup group;
bool joined = false;
bool anyone_measures = false;

// Makes one message of any size: when an int cannot count the bytes, they are one element of a type made for them.
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
  return pmpi.Send(bytes, letter.count(), letter.type(), to, kTag, used);
}

int NextSize(void*, int from, uint64_t* size) {
  MPI_Status status;
  MPI_Count bytes = 0;
  int error = pmpi.Probe(from, kTag, used, &status);
  if (error == MPI_SUCCESS) error = pmpi.Get_elements_x(&status, Byte(), &bytes);
  *size = static_cast<uint64_t>(bytes);
  return error;
}

int Receive(void*, int from, void* bytes, uint64_t size) {
  const Letter letter(size);
  MPI_Status status;
  return pmpi.Recv(bytes, letter.count(), letter.type(), from, kTag, used, &status);
}

// Makes our communicator. Collective. False: MPI refused (the program's error handler was told), and nothing is sent.
// It is no copy of another one, because MPI calls the program's functions that copy attributes then.
bool UseOwnComm() {
  if (is_own || group.size == 1) return true;
  MPI_Group all;
  if (pmpi.Comm_group(World(), &all) != MPI_SUCCESS) return false;
  MPI_Comm made;
  const bool is_made = pmpi.Comm_create(World(), all, &made) == MPI_SUCCESS;
  pmpi.Group_free(&all);
  if (!is_made) return false;
  // From now on, an error of ours calls no error handler of the program.
  pmpi.Comm_set_errhandler(made, ErrorsReturn());
  used = made;
  is_own = true;
  return true;
}

}  // namespace

bool clocks_drift = false;

void Expect() {
  if (epik_adapter_version() == kEpikAdapterVersion) epik_adapter_expect_job();
}

void Join() {
  if (joined || epik_adapter_version() != kEpikAdapterVersion) return;
  used = World();
  pmpi.Comm_rank(used, &group.rank);
  pmpi.Comm_size(used, &group.size);
  group.send = Send;
  group.next_size = NextSize;
  group.receive = Receive;
  joined = true;
  anyone_measures = epik_adapter_join(&group) != 0;
  clocks_drift = epik_adapter_clocks_drift() != 0 && UseOwnComm();
  if (epik_adapter_mpi_groups() != 0) {
    KnowComms();
    RememberWhatCounts();
    KnowTypes();
    int level = MPI_THREAD_MULTIPLE;
    pmpi.Query_thread(&level);
    if (level != MPI_THREAD_MULTIPLE) {
      UseOneTable();
      NeverWaitFor(group.rank);
    }
  }
  BeginTrees();
}

// Counts the barrier even if it returned an error here: the other processes count it, too, and all must agree.
void AfterBarrier(MPI_Comm comm, const void* stack) {
  if (joined && comm == World()) epik_adapter_barrier(&group, stack);
}

// An exception may have left a call of MPI, and be on its way, while a destructor calls MPI_Finalize. In Fortran's
// MPI_Finalize, which may call that of C, we have left the job already.
void LeaveOtherCalls() {
  if (joined) outermost = nullptr;
}

void Leave() {
  if (!joined) return;
  joined = false;
  clocks_drift = false;
  EndTrees();
  if (!anyone_measures || !UseOwnComm()) return;
  epik_adapter_finalize(&group);
  if (is_own) pmpi.Comm_free(&used);
  is_own = false;
}

void Abandon(int code) { epik_adapter_abort(code); }

}  // namespace epik::mpi
