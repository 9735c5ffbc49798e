// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/classes.h"

namespace epik::causes {

using graph::EdgeKind;
using replay::Role;

std::span<const ClassInfo> Classes() {
  static constexpr ClassInfo kAll[] = {
#define CAUSE(Name, metric, parent, label) {metric, parent, label},
#include "analysis/causes/classes.def"
#undef CAUSE
  };
  return kAll;
}

Class ClassOf(const graph::Graph& graph, const graph::Edge& edge) {
  switch (edge.kind) {
    case EdgeKind::kMessage: return kLateSender;
    case EdgeKind::kReceiver: return kLateReceiver;
    case EdgeKind::kProgress: return kLateProgress;
    case EdgeKind::kTeam: {
      const bool is_of_libc =
          edge.meeting != graph::kNone && graph.MeetingAt(edge.meeting).operation.role == Role::kThreadBarrier;
      return is_of_libc ? kThreadBarrier : kTeamBarrier;
    }
    case EdgeKind::kLock: return kLock;
    case EdgeKind::kCreated: return kTaskCreation;
    case EdgeKind::kTask: return kTask;
    case EdgeKind::kFork:
      return edge.partner.IsKnown() && graph.At(edge.partner).operation.role == Role::kMakeTeam ? kIdle : kHandsOn;
    case EdgeKind::kTaker:
    case EdgeKind::kMade:
    case EdgeKind::kEnded: return kHandsOn;
    case EdgeKind::kMutex: return kMutex;
    case EdgeKind::kEnd: return kJoin;
    case EdgeKind::kSignal: return kCondition;
    case EdgeKind::kPost: return kSemaphore;
    case EdgeKind::kOnce: return kOnce;
    case EdgeKind::kMeeting: break;
  }
  if (edge.meeting == replay::kNone) return kHandsOn;
  switch (graph.MeetingAt(edge.meeting).operation.role) {
    case Role::kBarrier: return kBarrier;
    case Role::kAllToAll: return kNxN;
    case Role::kOneToAll: return kOneToN;
    case Role::kAllToOne: return kNToOne;
    case Role::kScan: return kScan;
    case Role::kNeighbours: return kNeighbours;
    case Role::kFinalize: return kFinalize;
    case Role::kInit: return kInit;
    case Role::kMakeComm:
    case Role::kFreeComm:
    case Role::kMakeWindow:
    case Role::kFreeWindow: return kManagement;
    case Role::kFile:
    case Role::kFileData: return kFile;
    case Role::kFence: return kFence;
    case Role::kPost: return kLatePost;
    case Role::kEndAccess: return kEarlyWait;
    case Role::kLockWindow: return kWindowLock;
    default: return kHandsOn;
  }
}

}  // namespace epik::causes
