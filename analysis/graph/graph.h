// SPDX-License-Identifier: BSD-3-Clause
// The graph of a replayed trace, which answers why something happened. For each location it holds the points at which
// it depended on others or others on it, what it depended on there, and what it did between them. builder.h makes it;
// readers may go through it in any order.
//
// A location's time has no holes: begin of its first point, the point, the segment before the second one, the second
// point … up to its last point, which has the kind kEnd. All times are nanoseconds of the time model.
#ifndef EPIK_ANALYSIS_GRAPH_GRAPH_H_
#define EPIK_ANALYSIS_GRAPH_GRAPH_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/graph/spill.h"
#include "analysis/replay/operations.h"
#include "analysis/replay/source.h"

namespace epik::graph {

using replay::kNone;

// A point: the n-th of a location.
struct Place {
  uint32_t location = kNone, point = kNone;
  bool IsKnown() const { return point != kNone; }
  bool operator==(const Place&) const = default;
};

enum class PointKind : uint8_t {
  kCall,     // a call of MPI; a barrier of a team; a lock or critical section, until the thread had it
  kIdle,     // no call path was open. The first point of a location is one, of no length
  kFork,     // a moment: the thread made a team, or another thread
  kRelease,  // a moment: the thread gave back a lock, left a critical section, ended, signalled or posted; created a
             // task or ended one
  kSplit,    // a moment of no meaning: the segment before it became too large, or too long; or a window of
             // the trace begins
  kEnd,      // a moment: the location's last event
};

struct Point {
  int64_t begin = 0, end = 0;
  int64_t waited_until = INT64_MIN;  // the end of the last wait in it
  uint64_t first_cell : 44 = 0;      // of the segment before it
  uint64_t cells : 20 = 0;           // kMostCells at most
  uint32_t path = kNone;             // of the call
  uint32_t edge = kNone;             // of edges: the first one
  PointKind kind = PointKind::kCall;
  replay::Operation operation = {};
  // A call that a thread was in before it ran what it comes from, a task or a function: a part of the same call.
  bool continues = false;
  bool interrupted = false;  // a call: the thread left it for something within it, and goes on with it later
  // In the segment before it, the thread asked again and again for what the point got, for `polled` ns with the loop
  // around: in so many calls of that call path; or in calls from there that the trace does not have, and `polls` is 0.
  uint32_t polls = 0, poll_path = kNone;
  int64_t polled = 0;
};
static_assert(sizeof(Point) == 64, "walks through a graph wait for memory: a point is one line of the cache");

// One call path in a segment.
using Cell = replay::PathTime;

enum class EdgeKind : uint8_t {
  kMessage,   // a message that the point received: to the point that began to send it
  kReceiver,  // a message that could not be sent before it was asked for: to the point that did
  kProgress,  // a message, or an operation, that moved only when another process was in MPI: to the point where that
              // one completed its side, or to another call in which it moved. Only an edge to the completing point may
              // have a wait
  kTaker,     // of a part of a collective operation: to the begin of a member whose data the part does not need. That
              // member began after all members that the part needs, and before the part ended. Much data stays until
              // a process takes it. It has no wait
  kMeeting,   // a collective operation that the point completed: to its last member, of those that the point needs
  kTeam,      // a barrier of a team: to the thread that came last
  kLock,      // to the point that gave back what the point got
  kFork,      // of an idle point: to the fork that made the team or the thread
  kMutex,     // a lock of libc: to the last point of the thread that had it before this one got it
  kEnd,       // to the end of another thread
  kSignal,    // of a condition: to the signal
  kPost,      // of a semaphore: to the post
  kOnce,      // to where a thread had done what is to be done once
  kCreated,   // of a barrier, or a wait for tasks: to the creation of the task that the thread ran next
  kTask,      // the same: to the end of a task that another thread ran
  // Two more dependences on tasks. They have no wait, and hold whatever tasks the thread runs in another run.
  kMade,   // of a barrier, or a wait for tasks, that was left for a task: to where another thread created the task
  kEnded,  // the same: to the ends of the tasks that it needs. At the end of a wait for tasks: to those of all its
           // tasks
};

// A dependence of a point. The point waited from `from` to `to`, which lie inside it; it did not wait when to <= from.
// The awaited event happened at `to`, or later where clocks are wrong and the point ended before.
struct Edge {
  Place partner;  // not known: everything it needed is not in the trace
  int64_t from = 0, to = 0;
  uint64_t bytes = 0;        // of the message
  uint32_t meeting = kNone;  // of a collective operation or a team barrier: which one
  uint32_t next = kNone;     // of the same point
  EdgeKind kind = EdgeKind::kMessage;
  bool from_all = false;  // of a meeting in which others need some members only: the point needs all that give data
  uint8_t group = 0;      // of a meeting of two groups: 1, 2: the point needs this one only

  int64_t Waited() const { return to > from ? to - from : 0; }
};

// A collective operation or a barrier of a team, and all that took part in it.
struct Meeting {
  uint64_t first_member = 0;
  uint32_t members = 0;
  uint32_t root = kNone;          // of members
  uint32_t missing = 0;           // members that are not in the trace
  uint32_t first_remote = kNone;  // of members: the first one of the second group, if members need one group only
  replay::Operation operation = {};
};
struct MeetingMember {
  Place place;      // the point where the member began: for a non-blocking operation, the call that started it
  Place completed;  // where the member ended: there, or in the wait; for a team's barrier, its part after all tasks
  uint64_t out = 0, in = 0;
};

class Graph {
 public:
  explicit Graph(size_t locations, size_t bytes_in_memory = kBytesInMemory)
      : store_(bytes_in_memory),
        points_(&store_),
        cells_(&store_),
        edges_(&store_),
        meetings_(&store_),
        members_(&store_),
        lists_(locations),
        logged_since_(locations) {}

  uint32_t locations() const { return static_cast<uint32_t>(lists_.size()); }
  uint32_t size(uint32_t location) const { return lists_[location].size; }
  const Point& At(Place place) const { return points_[IndexOf(place)]; }
  Point& At(Place place) { return points_[IndexOf(place)]; }
  // Points of a location that lie side by side, from this one on.
  std::span<const Point> From(Place place) const {
    const uint32_t most = kInList - place.point % kInList;
    return points_.Run(IndexOf(place), std::min(most, size(place.location) - place.point));
  }
  std::span<const Cell> Segment(const Point& point) const { return cells_.Run(point.first_cell, point.cells); }
  const Edge& EdgeAt(uint32_t number) const { return edges_[number]; }
  template <typename Use>
  void ForEachEdge(const Point& point, const Use& use) const {
    for (uint32_t e = point.edge; e != kNone; e = edges_[e].next) use(edges_[e]);
  }
  const Meeting& MeetingAt(uint32_t number) const { return meetings_[number]; }
  std::span<const MeetingMember> MembersOf(const Meeting& meeting) const {
    return members_.Run(meeting.first_member, meeting.members);
  }
  uint64_t edges() const { return edges_.size(); }
  uint64_t spilled() const { return store_.spilled(); }

  // The last point that began at `ns` or before; an unknown place when no point did. The search begins at point `near`,
  // or at the last one: the closer that is, the sooner it ends.
  Place Before(uint32_t location, int64_t ns, uint32_t near = kNone) const;

  // The begin of the last window of the trace (EPK_TRACE=window:…) that the location opened at `ns` or before. The
  // graph has no calls outside of windows. INT64_MIN: the location opened no window until then.
  int64_t LoggedSince(uint32_t location, int64_t ns) const;

  // The maker of the graph calls these functions. Windows of a location come in their order.
  void OpenWindow(uint32_t location, int64_t ns) { logged_since_[location].push_back(ns); }
  // Points of a location come in their order, and do not move.
  Point& NewPoint(uint32_t location, std::span<const Cell> segment);
  Place AddPoint(uint32_t location, Point point, std::span<const Cell> segment);
  // A wait is cut to what lies in the point and is no other wait's.
  void AddEdge(Place place, Edge edge);
  void EndPoint(Point* point, int64_t end);
  uint32_t AddMeeting(Meeting meeting, std::span<const MeetingMember> members);
  MeetingMember& MemberAt(uint32_t meeting, uint32_t member) {
    return members_[meetings_[meeting].first_member + member];
  }

  static constexpr size_t kBytesInMemory = size_t{512} << 20;
  static constexpr size_t kMostCells = Spill<Cell>::kInChunk;
  static constexpr size_t kMostMembers = Spill<MeetingMember>::kInChunk;

 private:
  static constexpr uint32_t kInList = 64;
  struct List {
    std::vector<uint32_t> blocks;  // of kInList points
    uint32_t size = 0;
  };
  uint64_t IndexOf(Place place) const {
    return uint64_t{lists_[place.location].blocks[place.point / kInList]} * kInList + place.point % kInList;
  }

  Store store_;
  Spill<Point> points_;
  Spill<Cell> cells_;
  Spill<Edge> edges_;
  Spill<Meeting> meetings_;
  Spill<MeetingMember> members_;
  std::vector<List> lists_;
  std::vector<std::vector<int64_t>> logged_since_;  // by location: when its windows began
};

}  // namespace epik::graph

#endif  // EPIK_ANALYSIS_GRAPH_GRAPH_H_
