// SPDX-License-Identifier: BSD-3-Clause
// The bytes that one process puts into a collective and gets out of it: the bytes of its data that the operation reads,
// each once, and the bytes that it writes at this process. A block that is in its place (MPI_IN_PLACE) is not written,
// and it is read only if another process gets it. docs/mpi.md has the table. All functions REQUIRE arguments that MPI
// has accepted. They never look at arguments that the standard tells MPI to ignore (at this process, in place, between
// groups, for a missing neighbour, for no elements): these may be anything.
#ifndef EPIK_ADAPTERS_MPI_COLLECTIVES_H_
#define EPIK_ADAPTERS_MPI_COLLECTIVES_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/pmpi.h"
#include "adapters/mpi/sizes.h"
#include "flavour.h"

namespace epik::mpi {

struct Moved {
  uint64_t out;
  uint64_t in;
};

// A list with the same value for every process, for collectives without a list of counts.
template <class T>
class Same {
 public:
  explicit Same(T value) : value_(value) {}
  T operator[](int) const { return value_; }

 private:
  T value_;
};

// The place of this process among those that take part.
struct Members {
  int rank;   // own
  int peers;  // processes that exchange data with it: all, or those of the remote group
  bool is_inter;
};
Members MembersOf(MPI_Comm comm);

// This process's role in a collective with a root.
enum class Part { kRoot, kOther, kNone };
inline Part PartOf(int root, const Members& members) {
  if (members.is_inter) return root == MPI_ROOT ? Part::kRoot : root == MPI_PROC_NULL ? Part::kNone : Part::kOther;
  return root == members.rank ? Part::kRoot : Part::kOther;
}

// The bytes of `count` blocks, one for each process, without the block of process `less` (negative: with all).
template <class Counts, class Types>
uint64_t SumOf(int count, const Counts& counts, const Types& types, int less = -1) {
  uint64_t bytes = 0;
  for (int i = 0; i < count; ++i) {
    if (i != less) bytes += BytesOf(counts[i], types[i]);
  }
  return bytes;
}
template <class Counts>
uint64_t SumOf(int count, const Counts& counts, MPI_Datatype type, int less = -1) {
  uint64_t elements = 0;
  for (int i = 0; i < count; ++i) {
    if (i != less) elements += static_cast<uint64_t>(counts[i]);
  }
  return BytesOf(elements, type);
}

template <class Count>
Moved BcastBytes(Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Part part = PartOf(root, MembersOf(comm));
  const uint64_t bytes = part == Part::kNone ? 0 : BytesOf(count, datatype);
  return {part == Part::kRoot ? bytes : 0, part == Part::kOther ? bytes : 0};
}

template <class Count>
Moved ReduceBytes(Count count, MPI_Datatype datatype, int root, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  const Part part = PartOf(root, members);
  const uint64_t bytes = part == Part::kNone ? 0 : BytesOf(count, datatype);
  const bool gives = part == Part::kOther || (part == Part::kRoot && !members.is_inter);
  return {gives ? bytes : 0, part == Part::kRoot ? bytes : 0};
}

template <class Count, class Counts>
Moved GatherBytes(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, const void*, const Counts& recvcounts,
                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  const Part part = PartOf(root, members);
  if (part == Part::kNone) return {0, 0};
  if (part == Part::kOther) return {BytesOf(sendcount, sendtype), 0};
  if (members.is_inter) return {0, SumOf(members.peers, recvcounts, recvtype)};
  if (sendbuf == MPI_IN_PLACE) return {0, SumOf(members.peers, recvcounts, recvtype, members.rank)};
  return {BytesOf(sendcount, sendtype), SumOf(members.peers, recvcounts, recvtype)};
}

template <class Counts, class Count>
Moved ScatterBytes(const Counts& sendcounts, MPI_Datatype sendtype, const void* recvbuf, Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  const Part part = PartOf(root, members);
  if (part == Part::kNone) return {0, 0};
  if (part == Part::kOther) return {0, BytesOf(recvcount, recvtype)};
  if (members.is_inter) return {SumOf(members.peers, sendcounts, sendtype), 0};
  if (recvbuf == MPI_IN_PLACE) return {SumOf(members.peers, sendcounts, sendtype, members.rank), 0};
  return {SumOf(members.peers, sendcounts, sendtype), BytesOf(recvcount, recvtype)};
}

template <class Count, class Counts>
Moved AllgatherBytes(const void* sendbuf, Count sendcount, MPI_Datatype sendtype, const Counts& recvcounts,
                     MPI_Datatype recvtype, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  if (sendbuf == MPI_IN_PLACE) {
    const uint64_t own = members.peers > 1 ? BytesOf(recvcounts[members.rank], recvtype) : 0;
    return {own, SumOf(members.peers, recvcounts, recvtype, members.rank)};
  }
  return {BytesOf(sendcount, sendtype), SumOf(members.peers, recvcounts, recvtype)};
}

template <class SendCounts, class SendTypes, class Counts, class Types>
Moved AlltoallBytes(const void* sendbuf, const SendCounts& sendcounts, const SendTypes& sendtypes,
                    const Counts& recvcounts, const Types& recvtypes, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  if (sendbuf == MPI_IN_PLACE) {
    const uint64_t bytes = SumOf(members.peers, recvcounts, recvtypes, members.rank);
    return {bytes, bytes};
  }
  return {SumOf(members.peers, sendcounts, sendtypes), SumOf(members.peers, recvcounts, recvtypes)};
}

// The operation reads the operand and writes the result, in place or not.
template <class Count>
Moved AllreduceBytes(Count count, MPI_Datatype datatype) {
  const uint64_t bytes = BytesOf(count, datatype);
  return {bytes, bytes};
}

template <class Count>
Moved ExscanBytes(Count count, MPI_Datatype datatype, MPI_Comm comm) {
  const uint64_t bytes = BytesOf(count, datatype);
  return {bytes, MembersOf(comm).rank == 0 ? 0 : bytes};
}

// Between groups, each group reduces for the other one, so a process gives the blocks of its own group.
template <class Counts>
Moved ReduceScatterBytes(const Counts& recvcounts, MPI_Datatype datatype, MPI_Comm comm) {
  const Members members = MembersOf(comm);
  int size = members.peers;
  if (members.is_inter) pmpi.Comm_size(comm, &size);
  return {SumOf(size, recvcounts, datatype), BytesOf(recvcounts[members.rank], datatype)};
}

// The neighbours of this process in its communicator's topology; in a Cartesian one some are MPI_PROC_NULL.
class Neighbors {
 public:
  explicit Neighbors(MPI_Comm comm);
  int in() const { return in_; }
  int out() const { return out_; }
  bool IsThere(int from) const { return shape_ != MPI_CART || IsInside(from); }

 private:
  bool IsInside(int place) const;

  MPI_Comm comm_;
  int shape_ = MPI_UNDEFINED;
  int in_ = 0;
  int out_ = 0;
};

// One block for all neighbours, which counts once if there is a neighbour; or one block for each neighbour.
template <class Count>
struct SameBlock {
  SameBlock(Count some_count, MPI_Datatype some_type) : count(some_count), type(some_type) {}
  uint64_t Sum(const Neighbors& neighbors) const {
    for (int i = 0; i < neighbors.out(); ++i) {
      if (neighbors.IsThere(i)) return BytesOf(count, type);
    }
    return 0;
  }
  Count count;
  MPI_Datatype type;
};
template <class Counts, class Types>
struct Blocks {
  Blocks(const Counts& some_counts, const Types& some_types) : counts(some_counts), types(some_types) {}
  uint64_t Sum(const Neighbors& neighbors) const { return Sum(neighbors, neighbors.out()); }
  uint64_t Sum(const Neighbors& neighbors, int number) const {
    uint64_t bytes = 0;
    for (int i = 0; i < number; ++i) bytes += neighbors.IsThere(i) ? BytesOf(counts[i], types[i]) : 0;
    return bytes;
  }
  Counts counts;
  Types types;
};

template <class Sent, class Counts, class Types>
Moved NeighborBytes(const Sent& sent, const Counts& recvcounts, const Types& recvtypes, MPI_Comm comm) {
  const Neighbors neighbors(comm);
  return {sent.Sum(neighbors), Blocks<Counts, Types>(recvcounts, recvtypes).Sum(neighbors, neighbors.in())};
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_COLLECTIVES_H_
