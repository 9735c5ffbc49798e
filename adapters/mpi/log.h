// SPDX-License-Identifier: BSD-3-Clause
// Records of communication in the trace (runtime/event/records.def). Callers check first that communication is logged.
#ifndef EPIK_ADAPTERS_MPI_LOG_H_
#define EPIK_ADAPTERS_MPI_LOG_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/call_hot.h"
#include "adapters/mpi/links.h"
#include "adapters/mpi/outcome.h"
#include "adapters/mpi/requests.h"
#include "flavour.h"
#include "runtime/event/trace.h"

namespace epik::mpi {

// The group of EPK_MPI_ENABLED that logs requests that were tested and are not complete. Generated.
extern const uint64_t request_tests;

// REQUIRES: valid arguments. Returns the number of the request that the send makes. `steps`: it is followed, too
// (steps.h), so the trace also says which message of its channel it is. `first`: the call has just been entered, and
// the send begins there.
uint64_t LogSend(uint64_t bytes, int dest, int tag, MPI_Comm comm, bool has_request, bool steps, bool first = false);
// `result`: of the call, which has taken a message. `steps`: the message is that of the latest NoteReceived.
void LogReceive(int result, const MPI_Status& status, MPI_Comm comm, bool steps);
void LogReceive(int result, const MPI_Status& status, const Comm* comm, uint32_t comm_number, bool steps);
void TrackSend(uint64_t number, uint64_t request);
// A non-blocking receive accepts messages from this source, with this tag, on this communicator. `untold`: MPI will
// leave the status of an earlier request in its own.
struct Posting {
  int source, tag;
  MPI_Comm comm;
  bool untold = false;
};
// A non-blocking receive has begun that will be counted, and is neither logged nor followed.
EPIK_HOT void CountReceive(const Posting& posting, uint64_t request) {
  if (posting.source == MPI_PROC_NULL) return;
  if (EPIK_UNLIKELY(posting.untold)) return static_cast<void>(Remember({.key = request, .untold = true}));
  RememberReceive(request);
}
// A non-blocking receive has begun; `sent`: with a send under the same request, of that number. `steps`: it is followed
// (steps.h), too. And the same for one that is only followed, and for one in a call that is passed over (a pause): it
// may end where records are logged.
void LogReceivePosted(uint64_t sent, const Posting& posting, uint64_t request, bool steps = false);
void FollowReceive(const Posting& posting, uint64_t request);
void TrackUnlogged(const Posting& posting, uint64_t request, bool steps);
// The same for a message that a probe has matched.
void LogReceivePosted(uint64_t request, const Request& message);
// The source and tag that a receive accepts, as records have them.
int32_t AwaitedRank(int source, MPI_Comm comm);
int32_t AwaitedTag(int tag);
// A probe has waited for a message.
void LogProbe(const MPI_Status& status, MPI_Comm comm);
// A persistent request is about to start.
void LogStart(const Request& request);
// `steps`: it is followed, too.
void TrackMessage(uint64_t message, const MPI_Status& status, MPI_Comm comm, bool steps = false);

// A request completed, or was cancelled.
void LogEnd(const Request& request, const MPI_Status& status, Outcome outcome);

// MPI has refused the send that this thread logged last; its request, or 0. And the start of another persistent
// request.
void LogRefused(uint64_t request);
void LogCancelled(uint64_t request);

// The last part of a partitioned send is about to be ready.
void LogReady(const Request& request);

// The program's buffer has no message any more.
void LogBufferEmpty();

// A message has arrived whose receive is not in the trace.
void LogUnposted(const Request& request, const MPI_Status& status);

// Logs that the request was tested and is not complete. REQUIRES: WantsTests, which the user asks for (XREQTEST).
bool WantsTests();
void LogTest(const Request& request);
// Logs that the program freed the request before it was complete.
void LogFreed(const Request& request);

// A non-blocking one: returns the number of its request.
uint64_t BeginCollective(uint32_t operation);
// The same when it is logged; EndCollectiveLater follows.
uint64_t BeginLater(uint32_t operation, bool traces);
// When the record of the collective operation that this thread began last says that it began; 0: it was not logged.
uint64_t CollectiveBegun();
// A blocking one, in the trace or not: EndCollective follows.
void BeginTraced(uint32_t operation);
EPIK_HOT void BeginBlocking(const Call& call) {
  latest_links.count = 0;
  if (call.Traces()) BeginTraced(call.region());
}
// Notes a blocking call in the trace, for monitors, or both. Returns when it has ended, for Call::Left.
uint64_t EndCollective(const Returned& call, int result, MPI_Comm comm, int root);
uint64_t NoteCollective(MPI_Comm comm, int root, bool gives, bool gets, bool of_some);
EPIK_HOT uint64_t EndCollective(const Call& call, int result, MPI_Comm comm, int root) {
  if (call.IsForMonitors(result)) return NoteCollective(comm, root, call.gives(), call.gets(), call.of_some);
  return EndCollective(call.returned(), result, comm, root);
}
// MPI_Finalize has been called: monitors see it as the last collective operation. It comes back after the measurement.
void NoteFinalize(const Returned& call);
// For a non-blocking operation; key 0: it has completed already.
void EndCollectiveLater(const Returned& call, uint64_t key, MPI_Comm comm, int root);
template <class Handle>
void EndCollectiveLater(const Returned& call, int result, const Handle* request, MPI_Comm comm, int root) {
  if (result != MPI_SUCCESS) return static_cast<void>(EndCollective(call, result, comm, root));
  EndCollectiveLater(call, RequestKey(*request), comm, root);
}
// MPI_Comm_idup: the same, and the new communicator is logged when the request completes.
void EndCopyLater(const Returned& call, uint64_t key, MPI_Comm comm, MPI_Comm made);
template <class Handle, class Made>
void EndCopyLater(const Returned& call, int result, const Handle* request, MPI_Comm comm, const Made* made) {
  if (result != MPI_SUCCESS) return static_cast<void>(EndCollective(call, result, comm, MPI_UNDEFINED));
  EndCopyLater(call, RequestKey(*request), comm, CommOf(*made));
}
// The root as a rank of MPI_COMM_WORLD.
int32_t WorldRoot(int root, MPI_Comm comm);

// This process got a communicator, unless the call gave it none.
void LogCommCreated(MPI_Comm made, MPI_Comm from);
// Logs a collective call that moves no data.
void LogCollectiveCall(uint32_t operation, MPI_Comm comm);
// The same before a call that makes the handle invalid; the handle may be invalid already.
void LogLastCall(uint32_t operation, MPI_Comm comm);

void LogAccess(event::RecordKind kind, MPI_Win window, int target, uint64_t bytes, uint64_t in = 0);
void LogSync(uint32_t operation, MPI_Win window);
void LogSync(uint32_t operation, MPI_Win window, int rank);
void LogLock(uint32_t operation, MPI_Win window);  // a shared lock of all processes
void LogLock(uint32_t operation, MPI_Win window, int rank, bool exclusive);
void LogSyncs(uint32_t operation, MPI_Win window, MPI_Group group);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_LOG_H_
