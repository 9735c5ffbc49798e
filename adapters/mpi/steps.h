// SPDX-License-Identifier: BSD-3-Clause
// Tells other processes of the machine about messages, and about operations that one call begins and another completes
// (EPK_WAITS; event::Step). Callers check first that steps are noted.
#ifndef EPIK_ADAPTERS_MPI_STEPS_H_
#define EPIK_ADAPTERS_MPI_STEPS_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/channels.h"
#include "adapters/mpi/outcome.h"
#include "adapters/mpi/requests.h"

namespace epik::mpi {

// Counts a message before the call that sends it. NoteSent, NoteSentLater or NotSent follows after the call.
Turn BeginSent(int dest, int tag, MPI_Comm comm);
// MPI has refused a send.
void NotSent();
// A send has begun in this call; if it `waits` for its receive, it is over at the end of the call.
void NoteSent(int dest, int tag, MPI_Comm comm, bool waits);
// The same for a synchronous send with a request.
void NoteSentLater(uint64_t request, int dest, int tag, MPI_Comm comm);
// A receive came back with a message.
void NoteReceived(int result, const MPI_Status& status, MPI_Comm comm);
void NoteReceived(int result, const MPI_Status& status, const Request& message);
// The message that this thread noted last: of a receive that returned with it, or of a request that ended.
Turn LatestReceived();
// A probe waited for a message. NoteMatched: the same for a probe that has taken the message out of its channel; it
// comes after FollowMatched.
void NoteProbed(const MPI_Status& status, MPI_Comm comm);
void NoteMatched(uint64_t message);
void FollowMatched(Request* message, const MPI_Status& status);

// A receive is posted that will be remembered.
void FollowReceive(Request* request);
// A persistent request has started.
void FollowStart(Request* request);
// A non-blocking operation has begun: at the time of its record, or (0) when its call was entered.
void FollowOperation(Request* request, Comm* comm, uint64_t begun);

// MPI was asked to cancel a request: receives posted later may get its message from now on.
void NoteCancelled(uint64_t key, MPI_Request request);
// The program has freed a request that was not complete.
void NoteFreed(const Request& request);
// NoteEnd: a request that is followed has ended. NoteCompleted: so has the call that completed it, which waited or only
// tested.
void NoteEnd(const Request& request, const MPI_Status& status, Outcome outcome);
void NoteCompleted(bool waited);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_STEPS_H_
