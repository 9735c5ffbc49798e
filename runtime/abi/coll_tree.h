// SPDX-License-Identifier: BSD-3-Clause
// The spanning tree of EPIK's own collective operations (EPK_COLL_TREE). An MPI adapter asks for the tree, and tells
// the runtime what happens on its links.
#ifndef EPIK_RUNTIME_ABI_COLL_TREE_H_
#define EPIK_RUNTIME_ABI_COLL_TREE_H_

#include <stdint.h>

enum class EpikTreeKind : uint32_t { kOff, kFlat, kKary, kBinomial, kHost, kMapped };

// Rank 0 of the job decides on it, so it is the same in all processes.
struct EpikCollTree {
  EpikTreeKind kind;
  uint32_t arity;          // of kKary
  uint32_t ranks;          // of MPI_COMM_WORLD; for each of them:
  const int32_t* parents;  // of kMapped: parent; negative: the root
  const uint64_t* hosts;   // of kHost: a number of its machine
};

// One link of the tree in one operation, as one end of it sees it: ticks, 0 where nothing went that way.
struct EpikLink {
  uint64_t received;
  uint64_t sent;  // when that began
  int32_t peer;   // rank in MPI_COMM_WORLD
  bool is_up;     // the peer is the parent
};

#endif  // EPIK_RUNTIME_ABI_COLL_TREE_H_
