// SPDX-License-Identifier: BSD-3-Clause
// Cartesian topologies that this process is in, for the report: by MPI's own functions or by the program's word.
#ifndef EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_
#define EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::episode {

// `id`: the same in all processes of the topology; a program that makes it again and again defines it once. `names`: of
// the dimensions; null: they have none. What makes no sense is passed over, and of more than 64 topologies the others
// are left out, which is noted. Any thread.
void DefineTopology(uint64_t id, const char* name, const event::TopologyDimension* dimensions, uint32_t count,
                    const char* const* names);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_TOPOLOGIES_H_
