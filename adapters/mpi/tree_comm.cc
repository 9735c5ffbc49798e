// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/tree_comm.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "adapters/abi/abi.h"
#include "adapters/mpi/link_delay.h"
#include "adapters/mpi/operands.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/leak_check.h"

namespace epik::mpi {

namespace {

constexpr int kTag = 1;     // between neighbours
constexpr int kFarTag = 2;  // between any two

// After this many operations of a communicator, it can get another tree. That is rare enough that the question costs
// nothing.
constexpr uint32_t kCallsBetween = 128;

// MPI has a limited number of communicators (MPICH 4: 2048 in a process), and the program needs them.
constexpr int kMostTrees = 128;
struct {
  std::atomic<int> there = 0;  // in this process
  std::atomic<bool> noted = false;
  bool world_alone = false;  // no other communicator can have one
} trees;

const EpikCollTree* shape = nullptr;  // null: all operations are MPI's
int keyval = 0;
char none;  // the attribute of a communicator that has no tree

int DoNotCopy(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

int Delete(MPI_Comm, int, void* value, void*) {
  if (value != &none) delete static_cast<TreeComm*>(value);
  return MPI_SUCCESS;
}

void NoteWorldAlone() {
  if (trees.noted.exchange(true)) return;
  epik_adapter_note(
      "EPK_COLL_TREE has a tree for MPI_COMM_WORLD alone: with MPI_THREAD_MULTIPLE, threads of Open MPI may hang "
      "when they make communicators");
}

void NoteTooMany() {
  if (trees.noted.exchange(true)) return;
  epik_adapter_note("EPK_COLL_TREE has trees for 128 communicators at a time; MPI does the operations of the others");
}

// Whether all processes agree.
bool Agree(MPI_Comm comm, bool mine) {
  int can = mine ? 1 : 0, all = 0;
  return pmpi.Allreduce(&can, &all, 1, IntType(), BandOp(), comm) == MPI_SUCCESS && all != 0;
}

int32_t* WorldRanks(MPI_Comm comm, int size) {
  auto* ranks = static_cast<int32_t*>(std::malloc(2 * sizeof(int32_t) * static_cast<size_t>(size)));
  if (ranks == nullptr) return nullptr;
  int32_t* own = ranks + size;
  for (int r = 0; r < size; ++r) own[r] = r;
  MPI_Group group, all;
  pmpi.Comm_group(comm, &group);
  pmpi.Comm_group(World(), &all);
  pmpi.Group_translate_ranks(group, size, own, all, ranks);
  pmpi.Group_free(&group);
  pmpi.Group_free(&all);
  for (int r = 0; r < size; ++r) ranks[r] = ranks[r] == MPI_UNDEFINED ? -1 : ranks[r];
  return ranks;
}

}  // namespace

void TreeComm::Begin() {
  const EpikCollTree* wanted = epik_adapter_coll_tree();
  if (wanted->kind == EpikTreeKind::kOff) return;
  if (pmpi.Comm_create_keyval(DoNotCopy, Delete, &keyval, nullptr) != MPI_SUCCESS) return;
  shape = wanted;
  if (kMakesCommsAtOnce) return;
  int level = MPI_THREAD_MULTIPLE;
  pmpi.Query_thread(&level);
  if (Agree(World(), level != MPI_THREAD_MULTIPLE)) return;
  Of(World());  // while no other thread can call MPI
  trees.world_alone = true;
}

// MPI frees the communicators that the program has not freed.
void TreeComm::End() {
  if (shape == nullptr) return;
  shape = nullptr;
  void* value = nullptr;
  int is_there = 0;
  pmpi.Comm_get_attr(World(), keyval, &value, &is_there);
  if (is_there != 0) pmpi.Comm_delete_attr(World(), keyval);
  pmpi.Comm_free_keyval(&keyval);
}

TreeComm* TreeComm::Of(MPI_Comm comm) {
  latest_links = {};
  if (shape == nullptr || comm == NoComm()) return nullptr;
  void* value = nullptr;
  int is_there = 0;
  if (pmpi.Comm_get_attr(comm, keyval, &value, &is_there) != MPI_SUCCESS) return nullptr;
  if (is_there != 0) {
    auto* known = value == &none ? nullptr : static_cast<TreeComm*>(value);
    const bool asks = known != nullptr && !trees.world_alone && ++known->calls_ % kCallsBetween == 0;
    return asks ? Renewed(comm, known) : known;
  }
  int is_inter = 0, size = 0;
  pmpi.Comm_test_inter(comm, &is_inter);
  pmpi.Comm_size(comm, &size);
  const bool is_possible = is_inter == 0 && size > 1;
  if (!is_possible || trees.world_alone) {
    if (is_possible) NoteWorldAlone();
    pmpi.Comm_set_attr(comm, keyval, &none);
    return nullptr;
  }
  TreeComm* made = MakeFor(comm, *shape, trees.there < kMostTrees);
  pmpi.Comm_set_attr(comm, keyval, made == nullptr ? static_cast<void*>(&none) : made);
  return made;
}

// Null in all processes if one of them cannot make the tree.
TreeComm* TreeComm::MakeFor(MPI_Comm comm, const EpikCollTree& wanted, bool has_room) {
  auto* made = has_room ? new (std::nothrow) TreeComm : nullptr;
  bool can = Agree(comm, made != nullptr && made->Make(comm, wanted)) && made->MakeComm(comm);
  can = Agree(comm, can);
  if (!can) {
    if (!has_room) NoteTooMany();
    delete made;
    return nullptr;
  }
  base::IsHeldByOthers(made);
  return made;
}

// The first process tells all others the newest tree that it knows. They keep it also for communicators in which that
// process is not a member. False: they have this tree already. `parents`: room for all ranks of the job.
bool TreeComm::TellNewest(int32_t* parents, uint32_t* version) {
  const EpikCollTree* newest = epik_adapter_newest_tree(version);
  if (pmpi.Bcast(version, sizeof *version, Byte(), 0, comm_) != MPI_SUCCESS || *version == version_) return false;
  if (!Agree(comm_, parents != nullptr)) return false;
  const size_t bytes = sizeof(int32_t) * newest->ranks;
  if (rank_ == 0) std::memcpy(parents, newest->parents, bytes);
  if (pmpi.Bcast(parents, static_cast<int>(bytes), Byte(), 0, comm_) != MPI_SUCCESS) return false;
  epik_adapter_take_tree(*version, parents);
  return true;
}

// Called between two operations, which are the same in all processes of the communicator.
TreeComm* TreeComm::Renewed(MPI_Comm comm, TreeComm* before) {
  uint32_t version = 0;
  auto* parents = static_cast<int32_t*>(std::malloc(sizeof(int32_t) * shape->ranks));
  TreeComm* made = nullptr;
  if (before->TellNewest(parents, &version)) {
    EpikCollTree wanted = {};
    wanted.kind = EpikTreeKind::kMapped;
    wanted.ranks = shape->ranks;
    wanted.parents = parents;
    made = MakeFor(comm, wanted, /*has_room=*/true);  // it takes the place of the tree before
  }
  std::free(parents);
  if (made == nullptr) return before;
  made->version_ = version;
  pmpi.Comm_set_attr(comm, keyval, made);  // this deletes the old tree
  return made;
}

TreeComm::TreeComm() { ++trees.there; }

TreeComm::~TreeComm() {
  --trees.there;
  if (has_comm_) pmpi.Comm_free(&comm_);
  std::free(link_);
  std::free(ranks_);
  std::free(requests_);
  std::free(pointers_);
  std::free(room_);
}

// Makes the parts that this process can make alone.
bool TreeComm::Make(MPI_Comm comm, const EpikCollTree& wanted) {
  int size = 0;
  pmpi.Comm_rank(comm, &rank_);
  pmpi.Comm_size(comm, &size);
  int32_t* members = WorldRanks(comm, size);
  const bool made = members != nullptr && tree_.Make(wanted, members, size) && MakeNeighbours(members);
  std::free(members);
  return made;
}

// Does not copy the communicator: that would call the program's functions that copy attributes.
bool TreeComm::MakeComm(MPI_Comm comm) {
  MPI_Group group;
  if (pmpi.Comm_group(comm, &group) != MPI_SUCCESS) return false;
  has_comm_ = pmpi.Comm_create(comm, group, &comm_) == MPI_SUCCESS;
  pmpi.Group_free(&group);
  // The error handler of the program's communicator is told about an error of ours once.
  if (has_comm_) pmpi.Comm_set_errhandler(comm_, ErrorsReturn());
  return has_comm_;
}

bool TreeComm::MakeNeighbours(const int32_t* members) {
  const int32_t parent = tree_.Parent(rank_);
  size_t count = parent < 0 ? 0 : 1;
  for (int32_t c = tree_.FirstChild(rank_); c >= 0; c = tree_.NextChild(c)) ++count;
  link_ = static_cast<EpikLink*>(std::calloc(count, sizeof *link_));
  ranks_ = static_cast<int*>(std::calloc(count, sizeof *ranks_));
  requests_ = static_cast<MPI_Request*>(std::calloc(count, sizeof *requests_));
  pointers_ = static_cast<void**>(std::calloc(count, sizeof *pointers_));
  if (link_ == nullptr || ranks_ == nullptr || requests_ == nullptr || pointers_ == nullptr) return false;
  const auto add = [&](int32_t rank, bool is_up) {
    ranks_[links_] = rank;
    link_[links_++] = {0, 0, members[rank], is_up};
  };
  if (parent >= 0) add(parent, true);
  for (int32_t c = tree_.FirstChild(rank_); c >= 0; c = tree_.NextChild(c)) add(c, false);
  return true;
}

int TreeComm::Towards(int target) const {
  const int32_t rank = tree_.Towards(rank_, target);
  if (rank < 0) return -1;
  int place = 0;
  while (ranks_[place] != rank) ++place;
  return place;
}

void TreeComm::Start() {
  for (uint32_t i = 0; i < links_; ++i) link_[i].received = link_[i].sent = 0;
  latest_links = {link_, links_};
}

char* TreeComm::Room(size_t bytes) {
  if (bytes > room_bytes_) {
    void* larger = std::aligned_alloc(64, (bytes + 63) & ~size_t{63});
    if (larger == nullptr) return nullptr;
    std::free(room_);
    room_ = static_cast<char*>(larger);
    room_bytes_ = bytes;
  }
  return room_;
}

void TreeComm::Sending(int place) {
  link_[place].sent = epik_adapter_now();
  StampLink({link_[place].peer, ranks_[place], comm_});
}

void TreeComm::Received(int place) {
  AwaitLink({link_[place].peer, ranks_[place], comm_});
  link_[place].received = epik_adapter_now();
}

int TreeComm::Send(int place, const void* data, int count, MPI_Datatype type) {
  Sending(place);
  return pmpi.Send(data, count, type, ranks_[place], kTag, comm_);
}

int TreeComm::Receive(int place, void* data, int count, MPI_Datatype type) {
  MPI_Status status;
  const int error = pmpi.Recv(data, count, type, ranks_[place], kTag, comm_, &status);
  Received(place);
  return error;
}

int TreeComm::Spread(int but, const void* data, int count, MPI_Datatype type) {
  int requests = 0, error = MPI_SUCCESS;
  for (int place = 0; place < neighbours() && error == MPI_SUCCESS; ++place) {
    if (place == but) continue;
    Sending(place);
    error = pmpi.Isend(data, count, type, ranks_[place], kTag, comm_, &requests_[requests]);
    requests += error == MPI_SUCCESS ? 1 : 0;
  }
  for (int i = 0; i < requests; ++i) {
    MPI_Status status;
    const int failed = pmpi.Wait(&requests_[i], &status);
    if (error == MPI_SUCCESS) error = failed;
  }
  return error;
}

int TreeComm::Collect(int but, void* const* data, int count, MPI_Datatype type, Taker* taker) {
  int first = neighbours(), open = 0, error = MPI_SUCCESS;
  for (int place = 0; place < neighbours(); ++place) {
    requests_[place] = NoRequest();
    if (place == but) continue;
    first = std::min(first, place);
    const int failed = pmpi.Irecv(data[place], count, type, ranks_[place], kTag, comm_, &requests_[place]);
    if (failed == MPI_SUCCESS)
      ++open;
    else
      error = failed;
  }
  int next = first;  // to be taken
  for (; open > 0; --open) {
    MPI_Status status;
    int place = 0;
    const int failed = pmpi.Waitany(neighbours(), requests_, &place, &status);
    if (place < 0 || place >= neighbours()) return failed;
    Received(place);
    if (error == MPI_SUCCESS) error = failed;
    while (error == MPI_SUCCESS && next < neighbours() && (next == but || link_[next].received != 0)) {
      if (next != but) error = taker->Take(next);
      ++next;
    }
  }
  return error;
}

int TreeComm::SendFar(int rank, const void* data, int count, MPI_Datatype type) {
  return pmpi.Send(data, count, type, rank, kFarTag, comm_);
}

int TreeComm::ReceiveFar(int rank, void* data, int count, MPI_Datatype type) {
  MPI_Status status;
  return pmpi.Recv(data, count, type, rank, kFarTag, comm_, &status);
}

}  // namespace epik::mpi
