// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/tree_collectives.h"

#include <algorithm>
#include <cstring>

#include "adapters/abi/coll_tree.h"
#include "adapters/mpi/operands.h"
#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

namespace {

constexpr int kNoPlace = -1;

// Larger messages from all children at once would take too much memory: they are received one after the other.
constexpr size_t kMostAtOnce = 1u << 20;

int Copy(const TreeComm& comm, const void* from, void* to, int count, MPI_Datatype type) {
  const Extent extent = ExtentOf(count, type);
  if (extent.is_solid) {
    std::memcpy(static_cast<char*>(to) + extent.low, static_cast<const char*>(from) + extent.low, extent.bytes());
    return MPI_SUCCESS;
  }
  constexpr int kSelfTag = 3;
  MPI_Status status;
  return pmpi.Sendrecv(from, count, type, comm.rank(), kSelfTag, to, count, type, comm.rank(), kSelfTag, comm.comm(),
                       &status);
}

// Combines the operands of this process's subtree: its own, then those of its children in order of their ranks.
class Combining final : public TreeComm::Taker {
 public:
  Combining(TreeComm* comm, const Reduction& reduction) : comm_(comm), reduction_(reduction), sum_(reduction.own) {}

  int Run() {
    const int children = comm_->neighbours() - comm_->FirstChild();
    if (children == 0) return MPI_SUCCESS;
    const Extent extent = ExtentOf(reduction_.count, reduction_.type);
    const size_t step = (extent.bytes() + 63) & ~size_t{63};
    // Two buffers suffice when operands come one after the other: one receives, the other has the sum.
    const bool at_once = static_cast<size_t>(children) * step <= kMostAtOnce;
    const size_t pieces = at_once ? static_cast<size_t>(children) : 2;
    char* room = comm_->Room(std::max<size_t>(pieces * step, 1));
    if (room == nullptr) return MPI_ERR_NO_MEM;
    for (int c = 0; c < children; ++c) {
      char* piece = room + static_cast<size_t>(c) % pieces * step;
      comm_->pointers()[comm_->FirstChild() + c] = piece - extent.low;
    }
    const int up = comm_->FirstChild() == 0 ? kNoPlace : 0;
    if (at_once) {
      return comm_->Collect(up, comm_->pointers(), reduction_.count, reduction_.type, this);
    }
    int error = MPI_SUCCESS;
    for (int place = comm_->FirstChild(); place < comm_->neighbours() && error == MPI_SUCCESS; ++place) {
      error = comm_->Receive(place, comm_->pointers()[place], reduction_.count, reduction_.type);
      if (error == MPI_SUCCESS) error = Take(place);
    }
    return error;
  }
  // The sum over this process and all below it.
  const void* sum() const { return sum_; }

  int Take(int place) override {
    void* operand = comm_->pointers()[place];
    const int error = pmpi.Reduce_local(sum_, operand, reduction_.count, reduction_.type, reduction_.op);
    sum_ = operand;
    return error;
  }

 private:
  TreeComm* comm_;
  const Reduction& reduction_;
  const void* sum_;
};

// The contribution of this process has gone up, and the result is not there yet: EPIK computes while others work.
void BeforeWait() { epik_adapter_moment(kEpikMomentUp, __builtin_frame_address(0)); }

// This process has nothing more to give to others.
int AfterAll(const TreeComm& comm, int error) {
  const bool is_top = comm.FirstChild() == 0;  // it never waits for processes above it
  if (error != MPI_SUCCESS) return error;
  if (is_top) epik_adapter_moment(kEpikMomentUp, __builtin_frame_address(0));
  epik_adapter_moment(kEpikMomentDown, __builtin_frame_address(0));
  return error;
}

struct Nothing final : TreeComm::Taker {
  int Take(int) override { return MPI_SUCCESS; }
};

// The blocks that a process has to pass on: those of `count` places in the tree's order, from `first` on, as a ring.
// The ring's beginning never lies within the blocks that come from one neighbour.
struct Load {
  int first, count, size;
  int OffsetOf(int place) const { return (place - first + size) % size; }
};

// MPICH neither packs from MPI_BOTTOM nor unpacks to it. These are the same data, seen from another address.
class Seen {
 public:
  Seen(const void* data, int count, MPI_Datatype type) : data_(data), count_(count), type_(type) {
    if (data != nullptr || count == 0) return;
    const MPI_Aint displacement = -reinterpret_cast<MPI_Aint>(this);
    if (pmpi.Type_create_struct(1, &count, &displacement, &type, &type_) != MPI_SUCCESS) return;
    is_made_ = true;
    pmpi.Type_commit(&type_);
    data_ = this;
    count_ = 1;
  }
  ~Seen() {
    if (is_made_) pmpi.Type_free(&type_);
  }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void* data() const { return const_cast<void*>(data_); }
  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  const void* data_;
  int count_;
  MPI_Datatype type_;
  bool is_made_ = false;
};

int PackOwn(const TreeComm& comm, const EachBlock& blocks, char* at) {
  const char* own = static_cast<const char*>(blocks.own);
  int count = blocks.own_count;
  MPI_Datatype type = blocks.own_type;
  if (blocks.IsInPlace()) {
    MPI_Aint low = 0, extent = 0;
    pmpi.Type_get_extent(blocks.type, &low, &extent);
    own = static_cast<const char*>(blocks.all) + comm.rank() * blocks.count * extent;
    count = blocks.count;
    type = blocks.type;
  }
  if (blocks.bytes == 0) return MPI_SUCCESS;
  const Seen seen(own, count, type);
  int position = 0;
  return pmpi.Pack(seen.data(), seen.count(), seen.type(), at, blocks.bytes, &position, comm.comm());
}

// Gathers towards `root`. At the end, the data of this process are at *room.
int GatherPacked(TreeComm* comm, const EachBlock& blocks, int root, char** room, Load* load) {
  const SpanningTree& tree = comm->tree();
  const int to = comm->Towards(root), size = comm->size();
  *load = {tree.PlaceOf(comm->rank()), size, size};
  if (to >= 0) {
    const SpanningTree::Side side = tree.SideOf(comm->rank(), comm->RankOf(to));
    *load = {side.first, side.count, size};
  }
  *room = comm->Room(std::max<size_t>(static_cast<size_t>(load->count) * static_cast<size_t>(blocks.bytes), 1));
  if (*room == nullptr) return MPI_ERR_NO_MEM;
  const auto at = [&](int place) {
    return *room + static_cast<size_t>(load->OffsetOf(place)) * static_cast<size_t>(blocks.bytes);
  };
  int error = PackOwn(*comm, blocks, at(tree.PlaceOf(comm->rank())));
  for (int from = 0; from < comm->neighbours() && error == MPI_SUCCESS; ++from) {
    if (from == to) continue;
    const SpanningTree::Side side = tree.SideOf(comm->RankOf(from), comm->rank());
    error = comm->Receive(from, at(side.first), side.count * blocks.bytes, PackedType());
  }
  return error;
}

int Unpack(const TreeComm& comm, const EachBlock& blocks, const char* room, const Load& load, bool own_too) {
  MPI_Aint low = 0, extent = 0;
  pmpi.Type_get_extent(blocks.type, &low, &extent);
  int error = MPI_SUCCESS;
  for (int place = 0; place < comm.size() && error == MPI_SUCCESS && blocks.bytes > 0; ++place) {
    const int rank = comm.tree().RankAt(place);
    if (rank == comm.rank() && !own_too) continue;
    int position = 0;
    char* to = static_cast<char*>(blocks.all) + MPI_Aint{rank} * blocks.count * extent;
    const char* from = room + static_cast<size_t>(load.OffsetOf(place)) * static_cast<size_t>(blocks.bytes);
    const Seen seen(to, blocks.count, blocks.type);
    error = pmpi.Unpack(from, blocks.bytes, &position, seen.data(), seen.count(), seen.type(), comm.comm());
  }
  return error;
}

}  // namespace

int TreeBarrier(TreeComm* comm) {
  comm->Start();
  const int up = comm->FirstChild() == 0 ? kNoPlace : 0;
  Nothing nothing;
  std::fill(comm->pointers(), comm->pointers() + comm->neighbours(), nullptr);
  int error = comm->Collect(up, comm->pointers(), 0, PackedType(), &nothing);
  if (error == MPI_SUCCESS && up >= 0) error = comm->Send(up, nullptr, 0, PackedType());
  if (up >= 0) BeforeWait();
  if (error == MPI_SUCCESS && up >= 0) error = comm->Receive(up, nullptr, 0, PackedType());
  if (error == MPI_SUCCESS) error = comm->Spread(up, nullptr, 0, PackedType());
  return AfterAll(*comm, error);
}

int TreeBcast(TreeComm* comm, void* buffer, int count, MPI_Datatype type, int root) {
  comm->Start();
  const int from = comm->Towards(root);
  const int error = from < 0 ? MPI_SUCCESS : comm->Receive(from, buffer, count, type);
  return error == MPI_SUCCESS ? comm->Spread(from, buffer, count, type) : error;
}

// Reduces up to the root of the tree, even if the operation has another root, so that the order is always the same.
int TreeReduce(TreeComm* comm, const Reduction& reduction, void* result, int root) {
  comm->Start();
  Combining combining(comm, reduction);
  int error = combining.Run();
  const int top = comm->tree().root();
  if (error != MPI_SUCCESS) return error;
  if (comm->rank() != top) {
    error = comm->Send(0, combining.sum(), reduction.count, reduction.type);
    const bool gets = error == MPI_SUCCESS && comm->rank() == root;
    return gets ? comm->ReceiveFar(top, result, reduction.count, reduction.type) : error;
  }
  if (root == top) return Copy(*comm, combining.sum(), result, reduction.count, reduction.type);
  return comm->SendFar(root, combining.sum(), reduction.count, reduction.type);
}

int TreeAllreduce(TreeComm* comm, const Reduction& reduction, void* result) {
  comm->Start();
  Combining combining(comm, reduction);
  int error = combining.Run();
  if (error != MPI_SUCCESS) return error;
  int up = kNoPlace;
  if (comm->FirstChild() == 0) {
    error = Copy(*comm, combining.sum(), result, reduction.count, reduction.type);
  } else {
    up = 0;
    error = comm->Send(up, combining.sum(), reduction.count, reduction.type);
    BeforeWait();
    if (error == MPI_SUCCESS) error = comm->Receive(up, result, reduction.count, reduction.type);
  }
  if (error == MPI_SUCCESS) error = comm->Spread(up, result, reduction.count, reduction.type);
  return AfterAll(*comm, error);
}

int TreeGather(TreeComm* comm, const EachBlock& blocks, int root) {
  comm->Start();
  char* room = nullptr;
  Load load = {};
  const int error = GatherPacked(comm, blocks, root, &room, &load);
  if (error != MPI_SUCCESS) return error;
  if (comm->rank() == root) return Unpack(*comm, blocks, room, load, !blocks.IsInPlace());
  return comm->Send(comm->Towards(root), room, load.count * blocks.bytes, PackedType());
}

int TreeAllgather(TreeComm* comm, const EachBlock& blocks) {
  comm->Start();
  char* room = nullptr;
  Load load = {};
  int error = GatherPacked(comm, blocks, comm->tree().root(), &room, &load);
  if (error != MPI_SUCCESS) return error;
  int up = kNoPlace;
  const int all = comm->size() * blocks.bytes;
  if (comm->FirstChild() != 0) {
    up = 0;
    error = comm->Send(up, room, load.count * blocks.bytes, PackedType());
    BeforeWait();
    room = comm->Room(std::max<size_t>(static_cast<size_t>(all), 1));
    if (room == nullptr) return MPI_ERR_NO_MEM;
    if (error == MPI_SUCCESS) error = comm->Receive(up, room, all, PackedType());
  }
  if (error == MPI_SUCCESS) error = comm->Spread(up, room, all, PackedType());
  error = AfterAll(*comm, error);
  return error == MPI_SUCCESS ? Unpack(*comm, blocks, room, {0, comm->size(), comm->size()}, !blocks.IsInPlace())
                              : error;
}

}  // namespace epik::mpi
