// SPDX-License-Identifier: BSD-3-Clause
// Identifies a message at both ends: by its channel (two processes, communicator and tag) and its number in the
// channel. MPI gives the messages of a channel to receives in the order in which the program posted them. If a receive
// accepts messages of several channels, its message is known only when it completes. Until then the messages of later
// receives that accept the same are not known, either.
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

// SentOn: a message to a rank of MPI_COMM_WORLD was sent. Unsent: the send of this turn was cancelled. If the turn is
// not known, no later send has one.
Turn SentOn(const Comm* comm, int32_t to, int32_t tag);
void Unsent(const Turn& turn);

// A receive was posted. From -1: from any process of the communicator; tag -1: any. Its turn is known now, or it has a
// `ticket` by which the turn is found later.
struct PostedReceive {
  Turn turn;
  uint32_t ticket = 0;
};
PostedReceive Posted(const Comm* comm, int32_t from, int32_t tag);
// The receive has got this message. The turn is uncertain if an earlier receive may still get a message of the channel.
Turn Arrived(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag);
// The channel of such a message; 0: it is not known.
uint64_t ChannelFrom(const Comm* comm, int32_t from, int32_t tag);
// The program freed the receive: it will get a message, but we do not learn which. With -1, all later receives that
// accept the same stay uncertain.
void Freed(const PostedReceive& posted, const Comm* comm, int32_t from, int32_t tag);
// The receive will get no message.
void Unposted(const PostedReceive& posted);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_CHANNELS_H_
