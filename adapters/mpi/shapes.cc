// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/shapes.h"

#include <cstring>

#include "adapters/abi/abi.h"
#include "adapters/mpi/comms.h"
#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/event/layout.h"

namespace epik::mpi {
namespace {

// Open MPI invents names for communicators that the program did not name.
bool IsGiven(const char* name) { return std::strncmp(name, "MPI COMMUNICATOR ", 17) != 0; }

}  // namespace

void Shaped(MPI_Comm comm) {
  int shape = MPI_UNDEFINED;
  int count = 0;
  int is_inter = 0;
  if (comm == NoComm() || pmpi.Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || is_inter != 0) return;
  if (pmpi.Topo_test(comm, &shape) != MPI_SUCCESS || shape != MPI_CART) return;
  // A grid without dimensions is a single process: no topology worth showing.
  if (pmpi.Cartdim_get(comm, &count) != MPI_SUCCESS || count < 1) return;
  constexpr int kMost = event::kMostDimensions;
  int sizes[kMost], periods[kMost], coordinates[kMost];
  if (count > kMost || pmpi.Cart_get(comm, count, sizes, periods, coordinates) != MPI_SUCCESS) return;
  // A grid that is made again by the same processes is the same topology.
  const uint64_t members = IdentityOfMembers(comm);
  if (members == 0) return;  // MPI is not measured
  uint64_t id = Mix(6, members);
  event::TopologyDimension dimensions[kMost];
  for (int i = 0; i < count; ++i) {
    const int periodic = periods[i] != 0 ? 1 : 0;
    dimensions[i] = {sizes[i], periodic, coordinates[i]};
    id = Mix(id, Mix(static_cast<uint64_t>(sizes[i]), static_cast<uint64_t>(periodic)));
  }
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  if (pmpi.Comm_get_name(comm, name, &length) != MPI_SUCCESS || !IsGiven(name)) name[0] = '\0';
  epik_adapter_topology(id, name, dimensions, static_cast<uint32_t>(count));
}

}  // namespace epik::mpi
