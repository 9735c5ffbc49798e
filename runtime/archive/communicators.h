// SPDX-License-Identifier: BSD-3-Clause
// Communicators and windows of all processes of a job become one list: what has the same identity is the same.
#ifndef EPIK_RUNTIME_ARCHIVE_COMMUNICATORS_H_
#define EPIK_RUNTIME_ARCHIVE_COMMUNICATORS_H_

#include <vector>

#include "runtime/archive/group.h"
#include "runtime/archive/trace_maps.h"
#include "runtime/epitome/mpi_image.h"

namespace epik::archive {

struct MpiDefinitions {
  std::vector<Communicator> communicators;  // MPI_COMM_WORLD and MPI_COMM_SELF come first
  std::vector<Window> windows;
};

// Collective. Numbers of the definitions go into the maps, which are those of the images; the definitions are there at
// rank 0. `ranks`: of MPI_COMM_WORLD.
MpiDefinitions UniteCommunicators(Group* group, uint32_t ranks, const std::vector<epitome::MpiImage>& images,
                                  std::vector<ProcessMap>* maps);

}  // namespace epik::archive

#endif  // EPIK_RUNTIME_ARCHIVE_COMMUNICATORS_H_
