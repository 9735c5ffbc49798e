// SPDX-License-Identifier: BSD-3-Clause
// Tells other processes of the machine about messages, and about operations that one call begins and another one
// completes (EPK_WAITS; event::Step). Callers check first that steps are noted.
#ifndef EPIK_ADAPTERS_MPI_STEPS_H_
#define EPIK_ADAPTERS_MPI_STEPS_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/outcome.h"
#include "adapters/mpi/requests.h"

namespace epik::mpi {

// The call that sends this message follows, which NoteSent or NoteSentLater, or NotSent, takes up.
Turn BeginSent(int dest, int tag, MPI_Comm comm);
// MPI has refused a send.
void NotSent();
// A send has begun in this call, and is over where it `waits` for its receive.
void NoteSent(int dest, int tag, MPI_Comm comm, bool waits);
// The same, and the request is that of a synchronous one.
void NoteSentLater(uint64_t request, int dest, int tag, MPI_Comm comm);
// A receive came back with a message.
void NoteReceived(int result, const MPI_Status& status, MPI_Comm comm);
void NoteReceived(int result, const MPI_Status& status, const Request& message);
// Which message this thread noted last: a receive that came back with one, or one that has ended.
Turn LatestReceived();
// A probe waited for a message; the same for one that has taken it out of its channel, which comes after FollowMatched.
void NoteProbed(const MPI_Status& status, MPI_Comm comm);
void NoteMatched(uint64_t message);
void FollowMatched(Request* message, const MPI_Status& status);

// A receive is posted, which is to be remembered.
void FollowReceive(Request* request);
// A persistent request has started.
void FollowStart(Request* request);
// A non-blocking operation has begun: at that time, as a record has it, or (0) when its call did.
void FollowOperation(Request* request, Comm* comm, uint64_t begun);

// MPI was asked to cancel a request: receives posted later may get its message from now on.
void NoteCancelled(uint64_t key, MPI_Request request);
// The program has freed a request that was not complete.
void NoteFreed(const Request& request);
// A request that is followed has ended; and its call, which waited for it, or only looked.
void NoteEnd(const Request& request, const MPI_Status& status, Outcome outcome);
void NoteCompleted(bool waited);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_STEPS_H_
