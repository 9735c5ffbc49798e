// SPDX-License-Identifier: BSD-3-Clause
// Describes what calls of MPI and of libc and constructs of OpenMP mean to a thread that waits in them.
#ifndef EPIK_ANALYSIS_REPLAY_OPERATIONS_H_
#define EPIK_ANALYSIS_REPLAY_OPERATIONS_H_

#include <cstdint>
#include <string_view>

namespace epik::replay {

enum class Role : uint8_t {
  kNone,  // no call that a location could wait in for another one, as far as replay knows
  kSend,
  kReceive,
  kSendReceive,
  kStart,     // starts requests, does not wait
  kComplete,  // waits for requests
  kTest,      // asks for requests, does not wait
  kProbe,
  // One-sided communication, by what a call does for epochs.
  kFence,         // everybody everybody, of a window
  kPost,          // lets others access memory, does not wait
  kBeginAccess,   // begins to access that memory
  kEndAccess,     // ends that
  kEndExposure,   // waits until all others have ended it
  kLockWindow,    // begins to access memory that others may not …
  kUnlockWindow,  // … until then
  kAccess,        // of memory of another process
  kFlush,         // waits until all accesses before are done
  // Collective operations, by who needs whom.
  kBarrier,     // everybody everybody
  kAllToAll,    // the same, with data
  kOneToAll,    // all others the root
  kAllToOne,    // the root all others
  kScan,        // each one those before it
  kNeighbours,  // each one those that it gets data from: its neighbours in a topology
  kInit,
  kFinalize,
  // They make, free or change something together, and move no data.
  kMakeComm,
  kFreeComm,
  kMakeWindow,
  kFreeWindow,
  kFile,      // opens, closes or changes a file
  kFileData,  // reads or writes together
  kMakeTeam,  // does not wait
  kIdle,      // no work: a thread of OpenMP between its teams
  // Constructs of OpenMP that threads wait in.
  kExplicitBarrier,
  kImplicitBarrier,
  kTaskWait,  // for tasks that the thread's own one created, and those below them in a group
  kCritical,  // atomics, too
  kLock,
  kOrdered,
  // Of libc.
  kMutex,      // and its other locks
  kJoin,       // and pthread_once
  kCondition,  // and futexes
  kSemaphore,
  kThreadBarrier,
};
constexpr bool IsOfMpi(Role role) { return role > Role::kNone && role <= Role::kFileData; }
constexpr bool IsOfJob(Role role) { return role == Role::kInit || role == Role::kFinalize; }
// Calls with a record of their own (CollectiveCall).
constexpr bool IsManagement(Role role) { return role >= Role::kMakeComm && role <= Role::kFileData; }
constexpr bool IsTeamBarrier(Role role) {
  return role == Role::kExplicitBarrier || role == Role::kImplicitBarrier || role == Role::kThreadBarrier;
}
// A thread that leaves them has a lock of libc.
constexpr bool GivesMutex(Role role) { return role == Role::kMutex || role == Role::kCondition; }
constexpr bool IsCollective(Role role) { return role >= Role::kBarrier && role <= Role::kNeighbours; }

enum class Mode : uint8_t { kStandard, kSynchronous, kBuffered, kReady };

// Whether a call asks if requests are complete, and goes on when they are not.
enum class Asks : uint8_t { kNo, kOne, kSeveral };

struct Operation {
  Role role = Role::kNone;
  Mode mode = Mode::kStandard;  // of what sends
  // It starts what another call completes: MPI_Isend, MPI_Ibarrier, MPI_Bcast_init.
  bool immediate = false;
  bool first = false;  // waits for the first of several requests, not for all
  Asks asks = Asks::kNo;

  bool operator==(const Operation&) const = default;
};

// Of MPI, by the name of the function.
Operation OperationOf(std::string_view region);
// Of OpenMP and libc, by the metric that its time belongs to: omp_ibarrier, omp_critical, pthread_lock_api …
Operation OperationOfConstruct(std::string_view time_metric);

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_OPERATIONS_H_
