// SPDX-License-Identifier: BSD-3-Clause
// The kinds of frames and records that replay treats in different ways.
#ifndef EPIK_ANALYSIS_REPLAY_LEVELS_H_
#define EPIK_ANALYSIS_REPLAY_LEVELS_H_

#include <cstdint>

#include "analysis/replay/operations.h"
#include "runtime/event/trace.h"

namespace epik::replay {

// How a frame divides the time of its location.
enum class Level : uint8_t {
  kPlain,    // a call without waits
  kCall,     // of MPI: all time within it is its own
  kBarrier,  // of a team, or for tasks: its own time is waiting, and tasks within it have their own time
  kLock,     // it waits until the thread has the lock
};
constexpr Level LevelOf(Role role) {
  if (role == Role::kNone || role == Role::kTest || role == Role::kIdle) return Level::kPlain;
  if (IsTeamBarrier(role) || role == Role::kTaskWait) return Level::kBarrier;
  return role >= Role::kCritical ? Level::kLock : Level::kCall;
}

// The number of calls that a thread enters or leaves right after it waited for a lock of libc: the thread may have the
// lock in them.
inline constexpr uint32_t kFineAfterLock = 4;

// Records whose order among the threads of a process matters.
constexpr bool HasOrder(event::RecordKind kind) {
  using event::RecordKind;
  return (kind >= RecordKind::kSend && kind <= RecordKind::kCollectivePosted) || kind == RecordKind::kProbe ||
         kind == RecordKind::kRequestFreed || (kind >= RecordKind::kTeamBegin && kind <= RecordKind::kLockRelease) ||
         (kind >= RecordKind::kTaskCreate && kind <= RecordKind::kThreadEnd) ||
         (kind >= RecordKind::kJoinWanted && kind <= RecordKind::kThreadBarrier) || kind == RecordKind::kMutexTaken ||
         kind == RecordKind::kMutexReleased || kind == RecordKind::kIterationDone ||
         kind == RecordKind::kIterationNeeded || kind == RecordKind::kTaskNeeds || kind == RecordKind::kTaskDetached ||
         kind == RecordKind::kTaskFulfilled || kind == RecordKind::kFreedReceived || kind == RecordKind::kBufferEmpty ||
         kind == RecordKind::kSendReady;
}
// Records that replay looks at.
constexpr bool IsUsed(event::RecordKind kind) {
  using event::RecordKind;
  return HasOrder(kind) || kind == RecordKind::kAt || kind == RecordKind::kTurn || kind == RecordKind::kTurnSince ||
         kind == RecordKind::kSendMode || kind == RecordKind::kCollectiveCall || kind == RecordKind::kCollectivePeers ||
         kind == RecordKind::kWindowSync || kind == RecordKind::kWindowLock || kind == RecordKind::kPut ||
         kind == RecordKind::kGet || kind == RecordKind::kAtomic || kind == RecordKind::kFork ||
         kind == RecordKind::kJoin || kind == RecordKind::kTeamSize || kind == RecordKind::kGap ||
         kind == RecordKind::kSwitched || kind == RecordKind::kSendRefused || kind == RecordKind::kCollectiveFailed;
}

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_LEVELS_H_
