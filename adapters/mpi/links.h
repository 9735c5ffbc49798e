// SPDX-License-Identifier: BSD-3-Clause
// The links of this thread's latest collective operation that went along a tree, until they are noted.
#ifndef EPIK_ADAPTERS_MPI_LINKS_H_
#define EPIK_ADAPTERS_MPI_LINKS_H_

#include <cstdint>

#include "adapters/abi/coll_tree.h"

namespace epik::mpi {

struct Links {
  const EpikLink* first = nullptr;
  uint32_t count = 0;
};
extern __thread Links latest_links;

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_LINKS_H_
