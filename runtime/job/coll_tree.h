// SPDX-License-Identifier: BSD-3-Clause
// The tree of EPIK's own collective operations, on which all processes agree when they join the job.
#ifndef EPIK_RUNTIME_JOB_COLL_TREE_H_
#define EPIK_RUNTIME_JOB_COLL_TREE_H_

#include <cstdint>
#include <vector>

#include "config/coll_tree.h"
#include "runtime/abi/bytes.h"
#include "runtime/abi/coll_tree.h"

namespace epik::job {

// At rank 0: writes the tree for all processes. `hosts`: for each rank, a number of its machine. If the mapping file
// cannot be used, says so and turns EPIK's operations off.
void PutTree(const config::CollTree& wanted, const std::vector<uint64_t>& hosts, archive::BytesOut* out);
void GetTree(archive::BytesIn* in);

// Off until the processes have agreed.
const EpikCollTree& TreeOfJob();

// Another tree for the job while it runs: a mapping file in its unfinished archive. `version` is 0 before the first
// tree comes. Rank 0 looks for the file, and tells the others the version.
inline constexpr char kNewTree[] = "tree";
const EpikCollTree& NewestTree(uint32_t* version);
void TakeTree(uint32_t version, const int32_t* parents);

}  // namespace epik::job

#endif  // EPIK_RUNTIME_JOB_COLL_TREE_H_
