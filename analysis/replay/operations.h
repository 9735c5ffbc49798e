// SPDX-License-Identifier: BSD-3-Clause
// Describes calls of MPI and of libc, and constructs of OpenMP: how a thread waits in them.
#ifndef EPIK_ANALYSIS_REPLAY_OPERATIONS_H_
#define EPIK_ANALYSIS_REPLAY_OPERATIONS_H_

#include <cstdint>
#include <string_view>

namespace epik::replay {

// No location, call path, process …
inline constexpr uint32_t kNone = 0xffffffff;

enum class Role : uint8_t {
  kNone,  // no call in which a location could wait for another one, as far as replay knows
  kSend,
  kReceive,
  kSendReceive,
  kStart,     // starts requests, does not wait
  kComplete,  // waits for requests, or (kBuffered) until buffered messages have gone
  kTest,      // asks whether requests are complete, does not wait
  kProbe,
  // One-sided communication, by the part of a call in epochs.
  kFence,         // all processes of a window need all
  kPost,          // lets others access memory, does not wait
  kBeginAccess,   // begins to access that memory
  kEndAccess,     // ends that access
  kEndExposure,   // waits until all others have ended their accesses
  kLockWindow,    // begins to access memory, which others may not access …
  kUnlockWindow,  // … until this call
  kAccess,        // accesses memory of another process
  kFlush,         // waits until all earlier accesses are done
  // Collective operations, by which members need which.
  kBarrier,     // all members need all
  kAllToAll,    // the same, with data
  kOneToAll,    // all others need the root
  kAllToOne,    // the root needs all others
  kScan,        // each member needs those before it
  kNeighbours,  // each member needs those that it gets data from: its neighbours in a topology
  kInit,
  kFinalize,
  // The members make, free or change something together, and move no data.
  kMakeComm,
  kFreeComm,
  kMakeWindow,
  kFreeWindow,
  kFile,      // opens, closes or changes a file
  kFileData,  // reads or writes together
  kMakeTeam,  // does not wait
  kIdle,      // no work: a thread of OpenMP between its teams
  // Constructs of OpenMP in which threads wait.
  kExplicitBarrier,
  kImplicitBarrier,
  kTaskWait,  // for tasks that the thread's own task created, and in a group for those below them, too
  kCritical,  // atomics, too
  kLock,
  kOrdered,
  // Functions of libc.
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
  Mode mode = Mode::kStandard;  // mode of a send, or of the sends that a call completes
  // It starts an operation that another call completes: MPI_Isend, MPI_Ibarrier, MPI_Bcast_init.
  bool immediate = false;
  bool first = false;  // it waits for the first of several requests, not for all
  Asks asks = Asks::kNo;

  bool operator==(const Operation&) const = default;
};

// For functions of MPI, by name.
Operation OperationOf(std::string_view region);
// For OpenMP and libc, by the metric of the region's time: omp_ibarrier, omp_critical, pthread_lock_api …
Operation OperationOfConstruct(std::string_view time_metric);

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_OPERATIONS_H_
