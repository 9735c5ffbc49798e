// SPDX-License-Identifier: BSD-3-Clause
// The functions by which libepk.so and an MPI adapter tell each other about EPIK's own collective operations. They
// follow the rules of abi.h.
#ifndef EPIK_ADAPTERS_ABI_COLL_TREE_H_
#define EPIK_ADAPTERS_ABI_COLL_TREE_H_

#include <stdint.h>

#include "runtime/abi/coll_tree.h"

extern "C" {

// Whether this process has EPK_COLL_TREE. Valid once epik_adapter_mpi_groups was called.
int epik_adapter_wants_tree(void);
// The tree on which all processes of the job agreed when they joined. Valid for the life of the process.
const EpikCollTree* epik_adapter_coll_tree(void);

// The newest tree that was asked for while the job runs, and its version; 0: none so far. Rank 0 of MPI_COMM_WORLD
// finds it. epik_adapter_take_tree: another process has told this one of the tree.
const EpikCollTree* epik_adapter_newest_tree(uint32_t* version);
void epik_adapter_take_tree(uint32_t version, const int32_t* parents);
// The moments of EPK_MONITOR_SCHEDULE in such an operation, in the order of its words: the contribution has gone up and
// the thread would wait for the result; the result was passed on. `stack`: frame of the caller.
enum : uint32_t { kEpikMomentUp = 1, kEpikMomentDown = 2 };
void epik_adapter_moment(uint32_t moment, const void* stack);
// The links of a collective call of the current region. `number`: of the communicator; `sequence`: of the call on it.
void epik_adapter_links(uint32_t number, uint32_t sequence, const EpikLink* links, uint32_t count);

}  // extern "C"

#endif  // EPIK_ADAPTERS_ABI_COLL_TREE_H_
