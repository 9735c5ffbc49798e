// SPDX-License-Identifier: BSD-3-Clause
// A spanning tree of the processes of a communicator, by their ranks in it. All of them compute the same tree, from
// facts that rank 0 of the job gave to all (EPK_COLL_TREE).
//
// In preorder, each subtree is a range of places. The processes on one side of an edge are also a range, if the places
// are a ring. So data that go towards any root are always one range.
#ifndef EPIK_ADAPTERS_MPI_SPANNING_TREE_H_
#define EPIK_ADAPTERS_MPI_SPANNING_TREE_H_

#include <cstdint>

#include "adapters/abi/coll_tree.h"

namespace epik::mpi {

class SpanningTree {
 public:
  SpanningTree() = default;
  ~SpanningTree();
  SpanningTree(const SpanningTree&) = delete;
  SpanningTree& operator=(const SpanningTree&) = delete;

  // `members`: ranks in MPI_COMM_WORLD, by rank in the communicator; negative: of another job. False: no memory.
  bool Make(const EpikCollTree& shape, const int32_t* members, int32_t size);

  int32_t size() const { return size_; }
  int32_t root() const { return order_[0]; }
  int32_t Parent(int32_t rank) const { return parent_[rank]; }  // negative: it is the root
  // negative: no child. Children are in order of their ranks
  int32_t FirstChild(int32_t rank) const { return first_[rank]; }
  int32_t NextChild(int32_t child) const { return sibling_[child]; }
  int32_t RankAt(int32_t place) const { return order_[place]; }
  int32_t PlaceOf(int32_t rank) const { return place_[rank]; }
  int32_t SizeOf(int32_t rank) const { return end_[rank] - place_[rank]; }  // of its subtree

  // The neighbour of `rank` on the way to `target`; negative: it is the target.
  int32_t Towards(int32_t rank, int32_t target) const;

  // The processes on the side of `from` when its edge to the neighbour `to` is cut: `count` places from `first` on,
  // modulo the size.
  struct Side {
    int32_t first, count;
  };
  Side SideOf(int32_t from, int32_t to) const;

  // Whether preorder is the order of the ranks. Then the results of subtrees can be combined in that order, for
  // operations that do not commute.
  bool IsOrdered() const { return ordered_; }

 private:
  bool FillParents(const EpikCollTree& shape, const int32_t* members);
  bool FillHosts(const EpikCollTree& shape, const int32_t* members);
  bool FillMapped(const EpikCollTree& shape, const int32_t* members);
  void FillKary(uint32_t arity);
  void Link();

  int32_t size_ = 0;
  bool ordered_ = true;
  int32_t* memory_ = nullptr;
  // By rank.
  int32_t* parent_ = nullptr;
  int32_t* first_ = nullptr;
  int32_t* sibling_ = nullptr;
  int32_t* place_ = nullptr;
  int32_t* end_ = nullptr;
  int32_t* order_ = nullptr;  // rank by place
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_SPANNING_TREE_H_
