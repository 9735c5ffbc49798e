// SPDX-License-Identifier: BSD-3-Clause
// A network of several clusters on one machine, for tests and measurements: EPK_INTERNAL_LINK_DELAY=3:500us deals the
// ranks out to 3 clusters in turn, and delays each message of the trees between two clusters by 500 us.
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
// Tells the receiver of a message when it is sent.
void StampLink(const LinkEnd& to);
// A message has come: waits until the delay is over.
void AwaitLink(const LinkEnd& from);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_LINK_DELAY_H_
