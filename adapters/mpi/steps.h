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

struct StandardSends {
  int32_t followed = 0;   // requests whose end is awaited
  int32_t never_to = -1;  // no send to this rank waits
};
extern StandardSends standard_sends;
// No two threads of this process call MPI at once: none can post a receive while another one waits for it, so sends to
// its own rank do not wait.
void NeverWaitFor(int32_t own_rank);

// Counts a message before the call that sends it. NoteSent, NoteSentLater or NotSent follows after the call.
Turn BeginSent(int dest, int tag, MPI_Comm comm);
// MPI has refused a send.
void NotSent();
// A send has begun in this call; if it `waits` for its receive, it is over at the end of the call.
void NoteSent(int dest, int tag, MPI_Comm comm, bool waits);
// The same for a standard send of this size, which waits for its receive if its message is large. True: NoteCompleted
// must follow in this call. NoteStandardLater: it has a request. NoteEndBefore comes first: if another send had this
// handle, it has ended.
struct MessageSize {
  uint64_t bytes = 0;
  int32_t receiver = -1;  // rank in MPI_COMM_WORLD; negative: another process
};
bool NoteStandard(const MessageSize& size, int dest, int tag, MPI_Comm comm);
bool NoteEndOf(uint64_t request);
EPIK_HOT bool NoteEndBefore(uint64_t request) {
  return EPIK_UNLIKELY(__atomic_load_n(&standard_sends.followed, __ATOMIC_RELAXED) != 0) && NoteEndOf(request);
}
bool NoteStandardLater(uint64_t request, const MessageSize& size, int dest, int tag, MPI_Comm comm);
// The same for a standard send whose end stays unknown.
void NoteNotFollowed(const MessageSize& size, int dest, int tag, MPI_Comm comm);
// The same for a standard send and a receive in one call.
bool NoteExchange(const MessageSize& size, int dest, int tag, MPI_Comm comm, int result, const MPI_Status& status);
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
// The last part of a partitioned send is about to be ready: the message is sent in this call.
void NoteReady(const Request& request);
// A non-blocking operation has begun: at the time of its record, or (0) when its call was entered.
void FollowOperation(Request* request, Comm* comm, uint64_t begun);

// MPI was asked to cancel a request: receives posted later may get its message from now on.
void NoteCancelled(uint64_t key, MPI_Request request);
// The program has freed a request that was not complete.
void NoteFreed(const Request& request);
// NoteEnd: a request that is followed has ended. NoteCompleted: so has the call that completed it, which waited or only
// tested. Returns for Call::Left when a call that waited has ended.
void NoteEnd(const Request& request, const MPI_Status& status, Outcome outcome);
uint64_t NoteCompleted(bool waited);
// Messages are counted from the start, or since the trace was first switched off. Receives and operations that are
// open then come first, so this is called before a further one begins.
void BeginToCount();
uint32_t CountOperation(Comm* comm);
// Whether that began while a call had taken this request out of the table; NoteEnd then counts it before its end.
bool IsUncounted(const Request& request);
void CountNow(Request* request, const MPI_Status& status);
// The same for a call that begins a send which is complete at once: the call waits for nothing.
uint64_t NoteCompletedAtOnce();

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_STEPS_H_
