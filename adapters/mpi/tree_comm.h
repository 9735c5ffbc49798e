// SPDX-License-Identifier: BSD-3-Clause
// The spanning tree of a communicator, and the messages along it. The messages go through a communicator of EPIK, so
// that the program can neither receive nor delay them. EPIK makes it at the first collective call, and frees it with
// the program's communicator.
#ifndef EPIK_ADAPTERS_MPI_TREE_COMM_H_
#define EPIK_ADAPTERS_MPI_TREE_COMM_H_

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "adapters/mpi/links.h"
#include "adapters/mpi/spanning_tree.h"

namespace epik::mpi {

// Collective operations of one communicator come one after the other, so nothing here needs a lock.
class TreeComm {
 public:
  // The tree of a communicator. Null: MPI does its operations; the answer is the same in all of its processes.
  // Collective: the processes exchange messages at the first call, and at each call that could get another tree.
  static TreeComm* Of(MPI_Comm comm);
  // Begin: trees can be made from now on. End: no longer.
  static void Begin();
  static void End();

  ~TreeComm();
  TreeComm(const TreeComm&) = delete;
  TreeComm& operator=(const TreeComm&) = delete;

  const SpanningTree& tree() const { return tree_; }
  MPI_Comm comm() const { return comm_; }
  int rank() const { return rank_; }
  int size() const { return tree_.size(); }

  // Neighbours by place: the parent first, if there is one; then the children by ascending rank.
  int neighbours() const { return static_cast<int>(links_); }
  int RankOf(int place) const { return ranks_[place]; }
  int FirstChild() const { return tree_.Parent(rank_) < 0 ? 0 : 1; }
  // The place of the neighbour on the way to `target`; negative: it is this process.
  int Towards(int target) const;

  // Begins a new operation: no link has been used.
  void Start();
  // Each returns what MPI returned. They note the times at which the link was used.
  int Send(int place, const void* data, int count, MPI_Datatype type);
  int Receive(int place, void* data, int count, MPI_Datatype type);
  // Sends the same to all neighbours but one (negative: to all).
  int Spread(int but, const void* data, int count, MPI_Datatype type);
  // Receives from all neighbours but one, in the order in which messages come: from the neighbour at a place into
  // data[place]. The caller's Taker gets each of them, in order of the places.
  struct Taker {
    virtual int Take(int place) = 0;

   protected:
    ~Taker() = default;
  };
  int Collect(int but, void* const* data, int count, MPI_Datatype type, Taker* taker);
  // Messages between two processes that need not be neighbours.
  int SendFar(int rank, const void* data, int count, MPI_Datatype type);
  int ReceiveFar(int rank, void* data, int count, MPI_Datatype type);

  // Memory for one operation. Null: no memory.
  char* Room(size_t bytes);
  // A pointer for each place, likewise.
  void** pointers() { return pointers_; }

 private:
  TreeComm();
  static TreeComm* MakeFor(MPI_Comm comm, const EpikCollTree& wanted, bool has_room);
  static TreeComm* Renewed(MPI_Comm comm, TreeComm* before);
  bool TellNewest(int32_t* parents, uint32_t* version);
  bool Make(MPI_Comm comm, const EpikCollTree& wanted);
  bool MakeComm(MPI_Comm comm);
  bool MakeNeighbours(const int32_t* members);
  void Sending(int place);
  void Received(int place);

  uint32_t version_ = 0;  // of epik_adapter_newest_tree
  uint32_t calls_ = 0;
  MPI_Comm comm_;
  bool has_comm_ = false;
  SpanningTree tree_;
  int rank_ = 0;
  uint32_t links_ = 0;
  // By place.
  EpikLink* link_ = nullptr;
  int* ranks_ = nullptr;
  MPI_Request* requests_ = nullptr;
  void** pointers_ = nullptr;
  char* room_ = nullptr;
  size_t room_bytes_ = 0;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TREE_COMM_H_
