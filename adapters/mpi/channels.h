// SPDX-License-Identifier: BSD-3-Clause
// Which message is which, at both ends: the how manieth between two processes with this communicator and tag. MPI gives
// the messages of such a channel to receives in the order in which these were posted. A receive that accepts messages
// of several channels has its message when it completes; until then it is not known for those posted after it which
// message they get, if they accept the same.
#ifndef EPIK_ADAPTERS_MPI_CHANNELS_H_
#define EPIK_ADAPTERS_MPI_CHANNELS_H_

#include <cstdint>

#include "adapters/mpi/comms.h"

namespace epik::mpi {

// A message at one end.
struct Turn {
  uint64_t channel = 0;   // the same number at both ends
  uint32_t sequence = 0;  // in it
  bool is_certain : 1 = false;
  // A receive notes how many receives the program had cancelled in the midst of others when this sequence was right
  // (channels.cc).
  uint32_t cancels : 31 = 0;
};

// A message to a rank of MPI_COMM_WORLD was sent; and a send of this turn was cancelled.
Turn SentOn(const Comm* comm, int32_t to, int32_t tag);
void Unsent(const Turn& turn);

// A receive was posted. From -1: from any process of the communicator; tag -1: any. Its turn is known now, or it has a
// `ticket` by which it is known later.
struct PostedReceive {
  Turn turn;
  uint32_t ticket = 0;
};
PostedReceive Posted(const Comm* comm, int32_t from, int32_t tag);
// It has got this message. Not certain: another one before it may still get one of them.
Turn Arrived(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag);
// The channel of such a message; 0: it is not known.
uint64_t ChannelFrom(const Comm* comm, int32_t from, int32_t tag);
// It will get one, and nobody hears of that. With -1, all receives after it that accept the same stay uncertain.
void Freed(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag);
// It will get none.
void Unposted(const PostedReceive& posted);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CHANNELS_H_
