// SPDX-License-Identifier: BSD-3-Clause
// A network of several clusters on one machine, for tests and measurements: EPK_INTERNAL_LINK_DELAY=3:500us deals the
// ranks out to 3 clusters in turn, and each message of the trees from one to another takes so much longer.
#ifndef EPIK_ADAPTERS_MPI_LINK_DELAY_H_
#define EPIK_ADAPTERS_MPI_LINK_DELAY_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

// The other end of a link: its rank in MPI_COMM_WORLD and in a communicator.
struct LinkEnd {
  int32_t world;
  int rank;
  MPI_Comm comm;
};

void KnowLinkDelay();
// A message is sent: tells its receiver when.
void StampLink(const LinkEnd& to);
// A message has come. Waits until it may have.
void AwaitLink(const LinkEnd& from);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_LINK_DELAY_H_
