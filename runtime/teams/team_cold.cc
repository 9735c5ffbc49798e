// SPDX-License-Identifier: BSD-3-Clause
// The rare branches of team_hot.h and task_hot.h.
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "runtime/choice/depth.h"
#include "runtime/choice/pause.h"
#include "runtime/choice/switches.h"
#include "runtime/epilog/capture.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/part.h"
#include "runtime/episode/paths.h"
#include "runtime/epitome/folding.h"
#include "runtime/teams/task_hot.h"
#include "runtime/teams/task_parts.h"
#include "runtime/teams/team.h"

namespace epik::teams {

using episode::current;
using episode::Inside;

__thread Member* member __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint32_t kMostPlaces = 4096;

// By number of location. A location's own thread reads its entry.
Member* member_of[kMostPlaces];

bool IsBarrier(Key key) {
  return !event::IsRegion(key) && event::ConstructOf(key) == event::Construct::kImplicitBarrier;
}

// Why tasks have no call path of their own.
enum FoldedBy : uint32_t { kByDepth = 1, kByFilter = 2, kByMemory = 4 };
uint32_t folded_by = 0;

// The node of tasks whose time belongs to `below`, which creates them.
uint32_t Fold(Location* location, uint32_t below, FoldedBy why) {
  const Inside guard;
  __atomic_fetch_or(&folded_by, uint32_t{why}, __ATOMIC_RELAXED);
  const uint32_t node = episode::DisplacedBelow(location, below);
  return node != 0 ? node : location->sink;
}

// The same, for tasks that must have no call path. 0: they have one.
uint32_t FoldedBelow(Location* location, uint32_t below, Key key) {
  if (below == location->sink) return 0;
  if (choice::IsTaskTooDeep(below)) return Fold(location, below, kByDepth);
  bool is_out = false;
  {
    const Inside guard;
    is_out = choice::IsTaskOut(key);
  }
  return is_out ? Fold(location, below, kByFilter) : 0;
}

bool IsPool(const Location* location) { return location->omp_thread != 0; }

}  // namespace

bool MakeMember(Location* location) {
  const Inside guard;
  if (location->number >= kMostPlaces) return false;
  Member*& made = member_of[location->number];
  if (made == nullptr) {
    const int saved_errno = errno;
    void* memory = mmap(nullptr, sizeof(Member), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    errno = saved_errno;
    if (memory == MAP_FAILED) return false;
    static_cast<Member*>(memory)->location = location;
    __atomic_store_n(&made, static_cast<Member*>(memory), __ATOMIC_RELEASE);
  }
  made->pool = IsPool(location);
  made->displaced = 0;
  made->led_by = nullptr;
  made->limited = 0;
  if (made->pool) {
    made->idle = episode::ChildOf(location, location->root, event::RegionKey(event::kIdleRegion));
    const uint32_t limited = episode::ChildOf(location, made->idle, event::RegionKey(event::kLimitedRegion));
    if (made->idle != location->sink && limited != location->sink) made->limited = limited;
  }
  member = made;
  return true;
}

Location* PrepareForPart(uint32_t number) {
  Location* location = current;
  if (location == nullptr) {
    *episode::joins_team_as = number + 1;
    location = episode::CurrentLocation();
    *episode::joins_team_as = 0;
    if (location == nullptr) return nullptr;
    // Before its first region the thread has not been idle, unless its trace begins that way.
    const bool is_logged = location->logged != location->bottom;
    if (IsPool(location) && !is_logged) FrameAt(location->bottom + 1)->entered = ~uint64_t{0};
  }
  if (member == nullptr && !MakeMember(location)) return nullptr;
  return member->pool ? location : nullptr;
}

void LogPart(Location* location, uint64_t joined) {
  for (uint32_t i = location->bottom + 2; i > location->bottom; --i) {
    const Frame* frame = FrameAt(i);
    location->top = i;
    if (event::IsOff(frame)) {
      location->logged = std::min(location->logged, i - 1);
      continue;
    }
    if (!episode::IsForTrace(location, joined - frame->entered) || !epilog::BeginLogEnd(location, frame, joined))
      continue;
    location->logging = 0;  // LogIdle finds out whether the buffer was written
  }
  location->top = location->bottom + 2;
}

namespace {

// A buffer that had to be written for the last part, or for the time after it, delays the next part. That is a call of
// the measurement, and no work of the next part. Returns its end.
uint64_t AccountForFlush(Location* location, uint64_t now) {
  const uint64_t end = epilog::EndOfLatestFlush();
  if (end <= now) return now;
  uint32_t node;
  {
    const Inside guard;
    node = episode::ChildOf(location, location->root, event::RegionKey(event::kMeasurementRegion));
  }
  epitome::Record(NodeAt(node), end - now);
  NodeAt(location->root)->ticks += end - now;
  epilog::LogLatestFlush(location, node, now);
  return end;
}

}  // namespace

uint64_t LogIdle(Location* location, uint32_t idle, uint64_t since, uint64_t now) {
  if (location->logged != location->bottom) {  // it stood aside, and its outermost frame is that of an idle thread
    location->top = location->bottom + 1;
    if (epilog::BeginLogEnd(location, FrameAt(location->top), now)) location->logging = 0;
  } else {
    location->top = location->bottom;  // below the program alone
    EPIK_ORDER();
    epilog::LogVisit(location, idle, since, now);
  }
  location->top = location->bottom;
  EPIK_ORDER();
  return AccountForFlush(location, now);
}

void StandAside(const void* stack) {
  Location* location = current;
  if (location == nullptr) {
    ++episode::pauses;
    return;
  }
  const bool waits = location->top == location->bottom + 2 && IsBarrier(FrameAt(location->top)->key);
  if (IsPool(location) && member != nullptr && waits) {
    const Inside guard;
    episode::Charge(location);
    const uint64_t since = SettlePart(location, member, base::Now());
    location->top = location->bottom + 1;
    Frame* outermost = FrameAt(location->top);
    outermost->key = event::RegionKey(event::kIdleRegion);
    outermost->node = member->idle;
    outermost->entered = since;
    location->node = member->idle;
  }
  choice::Pause(stack);
}

void ComeBack(const void* stack) { choice::Resume(stack); }

void MakeRoute(Location* location, Route* route, uint32_t from) {
  const Inside guard;
  episode::NoteNewPath(NodeAt(from)->key);
  route->from = 0;
  const bool folded = NodeAt(from)->key == kFoldedTask;
  route->to = episode::CopyPath(location, folded ? NodeAt(from)->parent : from);
  const uint32_t owner = folded ? route->to : NodeAt(route->to)->parent;
  route->displaced = route->to == location->sink ? 0 : episode::DisplacedBelow(location, owner);
  route->from = from;
}

void MakeAway(Location* location, Route* away, uint32_t outer) {
  const Inside guard;
  away->from = 0;
  away->to = outer;
  away->displaced = episode::DisplacedBelow(location, outer);
  away->from = outer;
}

// Recursive tasks share the call path of the same construct above the place that creates them. Otherwise two such tasks
// in one function would give every instance a call path of its own.
uint32_t MakeTask(uint32_t below, Key key) {
  Location* location = current;
  if (location == nullptr) return 0;
  uint32_t child = FoldedBelow(location, below, key);
  if (child == 0) child = epitome::KnownChild(NodeAt(below), key);
  if (child == 0) child = epitome::OpenAbove(below, key);
  if (child == 0) child = episode::MakeChild(location, below, key);
  if (child == 0) return location->sink;  // this thread is not measured any more, but others may be
  if (child == location->sink && below != location->sink) child = Fold(location, below, kByMemory);
  if (member != nullptr || MakeMember(location)) *MadeAt(member, below, key) = {key, below, child};
  return child;
}

void CloseInside(Key key) {
  Location* location = current;
  if (location == nullptr) return;
  for (uint32_t i = location->top; i > location->bottom; --i) {
    if (FrameAt(i)->key != key) continue;
    if (i == location->top) return;
    for (uint32_t above = i + 1; above <= location->top; ++above) {
      const Key open = FrameAt(above)->key;
      const bool alone =
          event::IsRegion(open) ? event::IsParameter(open) : event::ConstructOf(open) != event::Construct::kNone;
      if (!alone && !event::IsOff(FrameAt(above)))
        ++location->repairs;  // constructs that were cancelled or have no end are no repairs
    }
    const Inside guard;
    episode::CloseFrames(location, i + 1, base::Now());
    return;
  }
}

void CloseAbove(Location* location, uint32_t index) {
  const Inside guard;
  episode::CloseFrames(location, index + 1, base::Now());
}

// Adds the team's time to the threads that were last in a team of this thread and have been idle since: they would have
// had time for this team.
void NoteSize(Member* owner, uint32_t level, uint32_t size, uint64_t forked, uint64_t joined) {
  uint32_t& most = owner->most[level];
  if (size > most) {
    most = size;
    return;
  }
  for (uint32_t i = size; i < most && i < kMostMembers; ++i) {
    Member* const theirs = owner->team[level][i].Take();
    if (theirs == nullptr || theirs->led_by.Take() != owner || theirs->limited == 0) continue;
    if (__atomic_load_n(&theirs->location->joined, __ATOMIC_RELAXED) > forked) continue;
    epitome::Record(NodeAt(theirs->limited), joined - forked);
  }
}

void JoinMismatched(Location* location, Team* team, uint64_t now, uint64_t stack) {
  episode::ExitMismatched(location, team->barrier, now, stack);
  if (LogsRecords(location)) now = LogJoin(team, now);
  if (FrameAt(location->top)->key == team->key) return episode::Pop(location, FrameAt(location->top), now);
  episode::ExitMismatched(location, team->key, now, stack);
}

void EnterElsewhereSlowly(uint32_t from, Key key, const void* stack) {
  Location* location = episode::CurrentLocation();
  if (location == nullptr) return;
  if (member == nullptr && !MakeMember(location)) return;
  if (!episode::HasRoomForFrame(location) && !episode::MakeRoomForFrame(location)) return;
  if (key == kFoldedTask) return EnterFoldedTask(location, from, stack);
  episode::Charge(location);
  episode::Push(location, FindRoute(location, member, from)->to, key, reinterpret_cast<uint64_t>(stack), base::Now);
}

uint32_t Interrupted(const Location* location, uint32_t outer) {
  for (uint32_t i = location->top; outer == location->sink && i > location->bottom; --i) outer = FrameAt(i)->outer;
  return outer;
}

void DisplaceFromUnrecorded(Location* location, uint32_t outer, uint32_t displaced, int64_t ticks) {
  if (displaced == 0 || outer != location->sink) return;
  const Inside guard;
  const uint32_t away = episode::DisplacedBelow(location, Interrupted(location, outer));
  if (away == 0) return;
  episode::AddDisplaced(displaced, ticks);
  episode::AddDisplaced(away, -ticks);
}

void EnterFoldedTask(Location* location, uint32_t from, const void* stack) {
  episode::Charge(location);
  const bool has_room = NodeAt(from)->key == kFoldedTask;
  const uint32_t to = has_room ? FindRoute(location, member, from)->to : location->sink;
  member->folded = member->folded + 1;
  if (const uint64_t now = base::Now(); location->last < now) location->last = now;
  episode::PushUntimed(location, to, kFoldedTask, reinterpret_cast<uint64_t>(stack), event::kUntimed | event::kOff);
  if (has_room && LogsRecords(location)) LogFoldedBegin(location, to, location->last);
}

void ExitFoldedTask() { ExitPart(kFoldedTask, base::Now()); }

void LeaveTeam(Location* location, uint64_t now) {
  member = nullptr;
  if (!IsPool(location)) return;
  const bool waits = location->top == location->bottom + 2 && IsBarrier(FrameAt(location->top)->key);
  if (!waits) return;
  const uint64_t joined = __atomic_load_n(&location->joined, __ATOMIC_RELAXED);
  const uint64_t entered = FrameAt(location->top)->entered & event::kTicksOfFrame;
  const bool known = joined >= entered && joined <= now;
  episode::CloseFrames(location, location->bottom + 1, known ? joined : now);
  if (!known || joined == now) return;
  const uint32_t idle = episode::ChildOf(location, location->root, event::RegionKey(event::kIdleRegion));
  epitome::Record(NodeAt(idle), now - joined);
  NodeAt(location->root)->ticks += now - joined;
  epilog::LogVisit(location, idle, joined, now);
  location->last = now;
}

void ForgetTeams() {
  member = nullptr;
  for (Member*& made : member_of) {
    if (made == nullptr) continue;
    munmap(made, sizeof(Member));
    made = nullptr;
  }
  folded_by = 0;
}

namespace {

void Finish() {
  const uint32_t why = __atomic_load_n(&folded_by, __ATOMIC_RELAXED);
  uint64_t parts = 0;
  for (Member* const& made : member_of) {
    if (Member* known = __atomic_load_n(&made, __ATOMIC_ACQUIRE)) parts += known->folded;
  }
  if (why == 0 || parts == 0) return;
  char text[200];
  std::snprintf(text, sizeof text,
                "%llu OpenMP tasks are not measured one by one, their time is that of the call path that created "
                "them:%s%s%s",
                static_cast<unsigned long long>(parts), (why & kByDepth) != 0 ? " EPK_DEPTH" : "",
                (why & kByFilter) != 0 ? " EPK_FILTER" : "", (why & kByMemory) != 0 ? " EPK_MEMORY, ESD_PATHS" : "");
  episode::Note(text);
}

}  // namespace

const episode::Part teams_part = {.name = "teams", .finish = Finish, .forget = ForgetTeams, .closing = LeaveTeam};

}  // namespace epik::teams
