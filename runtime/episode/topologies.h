// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies of this process for the report, from MPI's functions or from the program.
#ifndef EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_
#define EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// `id`: the same in all processes of the topology; a topology that is made again and again is defined once. `names`: of
// the dimensions, or null. Invalid topologies are ignored. Topologies after the first 64 are left out, with a note. Any
// thread.
void DefineTopology(uint64_t id, const char* name, const event::TopologyDimension* dimensions, uint32_t count,
                    const char* const* names);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_
