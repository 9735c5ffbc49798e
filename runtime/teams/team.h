// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions: one thread forks, and threads of a pool do their parts below its call path.
//
// A thread of a pool is always in one of three states, which its outermost frames show:
//
//   idle                             between two regions; no call tells it when one ends or the next one begins
//   region, and its calls there      below its own copy of the leader's call path
//   region, implicit barrier         it has done its part. When all threads have, the leader writes the time into the
//                                    location (Location::joined): until then the thread waited, since then it is idle
//
// The last step happens when the thread comes to its next region, when it ends, or in a reader of the arena. So no
// thread waits for another thread because of the measurement, and a killed process gives the same result.
//
// The work of a thread in the copy of a path has no open frames above it, so metrics of the kind kDisplacedMetric
// correct the inclusive times of the callers. The same holds for tasks, which run inside some barrier or wait and
// belong where they were created.
#ifndef EPIK_RUNTIME_TEAMS_TEAM_H_
#define EPIK_RUNTIME_TEAMS_TEAM_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::teams {

using event::Key;
using event::Location;

inline constexpr uint32_t kRoutes = 64;
inline constexpr uint32_t kMostMembers = 2048;
inline constexpr uint32_t kMostLevels = 8;  // of regions within regions that one thread leads
// The stack place of a frame that no jump can leave behind.
inline const void* const kOnNoStack = reinterpret_cast<const void*>(~uint64_t{0} >> 1);

// A word that threads hand to each other without any other order between them: plain moves, but no data race.
template <class T>
class Shared {
 public:
  EPIK_HOT operator T() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }  // NOLINT
  EPIK_HOT T operator=(T value) {                                                     // NOLINT
    __atomic_store_n(&value_, value, __ATOMIC_RELAXED);
    return value;
  }
  // A thread that takes the value also sees everything stored before it.
  EPIK_HOT void Publish(T value) { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
  EPIK_HOT T Take() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }

 private:
  T value_;
};

// The copy of another location's call path in this one, and the metric of displaced time above it.
struct Route {
  uint32_t from;
  uint32_t to;
  uint32_t displaced;
};

// The call path of the tasks that were created last at a place.
struct Made {
  Key key;
  uint32_t below;
  uint32_t node;
};
inline constexpr uint32_t kMades = 16;

// State of a location for OpenMP, beside the arena; made when the thread first takes part in a team.
struct Member {
  Location* location;
  uint32_t idle;            // node
  uint32_t limited;         // node below that, which the thread that leads it writes to
  uint32_t displaced;       // metric of the part it is in
  bool pool;                // its outermost frame is one of the three states
  uint32_t tasks;           // that it has created in the trace
  Shared<uint64_t> folded;  // parts of tasks without a call path of their own that it has run
  uint64_t forks;           // that it has led in the trace
  Route routes[kRoutes];
  Route away[kRoutes];
  Made made[kMades];
  uint32_t level;              // of the next region it leads: the number of regions that it leads now
  Shared<Member*> led_by;      // in the part it was in last
  uint32_t most[kMostLevels];  // threads that its teams had
  // The threads that came to its regions last, by number, for each nesting level; it hardly ever changes. A thread may
  // have ended, and a thread of another leader may have its location.
  Shared<Member*> team[kMostLevels][kMostMembers];
};
extern EPIK_HIDDEN __thread Member* member;

// A region while it lasts, on the leader's stack.
struct Team {
  Shared<Location*> leader;
  Shared<Member*> owner;
  Shared<Key> key;
  Shared<Key> barrier;
  Shared<uint32_t> node;
  Shared<uint32_t> size;
  Shared<uint32_t> level;
  Shared<uint64_t> instance;  // number among its leader's forks in the trace; 0: not in the trace
};

EPIK_COLD bool MakeMember(Location* location);
EPIK_COLD Location* PrepareForPart(uint32_t number);   // null: the thread is not measured, or not one of a pool
EPIK_COLD uint32_t MakeTask(uint32_t below, Key key);  // 0: the thread is not measured any more
EPIK_COLD void MakeRoute(Location* location, Route* route, uint32_t from);
EPIK_COLD void MakeAway(Location* location, Route* away, uint32_t outer);
// Logs the part that was settled, and the idle time after it.
void LogPart(Location* location, uint64_t joined);
// Returns when the thread goes on: later than `now`, if its buffer had to be written.
uint64_t LogIdle(Location* location, uint32_t idle, uint64_t since, uint64_t now);
// While the leader pauses, neither its region nor the threads that take part in it are measured.
void StandAside(const void* stack);
void ComeBack(const void* stack);

// Closes the frames that are still open within the innermost frame of that key.
EPIK_COLD void CloseInside(Key key);
EPIK_COLD void CloseAbove(Location* location, uint32_t index);
// Notes a team whose size differs from the largest of its leader. It lasted from `forked` to `joined`.
EPIK_COLD void NoteSize(Member* owner, uint32_t level, uint32_t size, uint64_t forked, uint64_t joined);
EPIK_COLD void JoinMismatched(Location* location, Team* team, uint64_t now, uint64_t stack);
// The call path that was interrupted by a frame that is gone and was entered from `outer`. If there was no room for
// this call path, its caller's.
uint32_t Interrupted(const Location* location, uint32_t outer);
// The task that has just ended may have interrupted a call without room for its call path.
EPIK_COLD void DisplaceFromUnrecorded(Location* location, uint32_t outer, uint32_t displaced, int64_t ticks);
EPIK_COLD void EnterFoldedTask(Location* location, uint32_t from, const void* stack);
EPIK_COLD void ExitFoldedTask();
EPIK_COLD void EnterElsewhereSlowly(uint32_t from, Key key, const void* stack);

// The thread ends: settles its last region by the time that the leader has written. REQUIRES: inside.
void LeaveTeam(Location* location, uint64_t now);

void ForgetTeams();  // in a forked child

extern const episode::Part teams_part;

}  // namespace epik::teams

#endif  // EPIK_RUNTIME_TEAMS_TEAM_H_
