// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions: one thread forks, and others of a pool come to do their part below its call path.
//
// A thread of a pool is always in one of three states, which its outermost frames show:
//
//   idle                             between two regions; nobody tells it when one ends or the next one begins
//   region, and what it does there   below its own copy of the leader's call path
//   region, implicit barrier         it has done its part. The leader, when all have, writes the time into the
//                                    location (Location::joined): until then the thread waited, since then it is idle
//
// The last step is made when the thread comes to its next region, when it ends, or by whoever reads the arena. So no
// thread waits for another one for the sake of the measurement, and a process that is killed says the same.
//
// What a thread does in the copy of a path has no open frames above it: inclusive times of the callers are made whole
// by metrics of the kind kDisplacedMetric. The same holds for tasks, which run inside some barrier or wait and belong
// where they were created.
#ifndef EPIK_RUNTIME_TEAMS_TEAM_H_
#define EPIK_RUNTIME_TEAMS_TEAM_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

inline constexpr uint32_t kRoutes = 64;
inline constexpr uint32_t kMostMates = 2048;
inline constexpr uint32_t kMostLevels = 8;  // of regions within regions that one thread leads
// Of a frame that no jump can leave behind.
inline const void* const kOnNoStack = reinterpret_cast<const void*>(~uint64_t{0} >> 1);

// A word that threads hand each other without any other order between them: plain moves, but no data race.
template <class T>
class Shared {
 public:
  EPIK_HOT operator T() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }  // NOLINT
  EPIK_HOT T operator=(T value) {                                                     // NOLINT
    __atomic_store_n(&value_, value, __ATOMIC_RELAXED);
    return value;
  }
  // What was stored before is seen by whoever takes it.
  EPIK_HOT void Publish(T value) { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
  EPIK_HOT T Take() const { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }

 private:
  T value_;
};

// Where a call path of another location is in this one, and the metric of displaced time above it.
struct Route {
  uint32_t from;
  uint32_t to;
  uint32_t displaced;
};

// The call path of the tasks that were created there last.
struct Made {
  Key key;
  uint32_t below;
  uint32_t node;
};
inline constexpr uint32_t kMades = 16;

// What a location needs for OpenMP, beside the arena: made when it first takes part.
struct Mate {
  Location* location;
  uint32_t idle;       // node
  uint32_t limited;    // node below that, which the thread that leads it writes to
  uint32_t displaced;  // of the part it is in
  bool pool;           // its outermost frame is one of the three states
  uint32_t tasks;      // it has made, of those that are in the trace
  uint64_t forks;      // of its own, in the trace
  Route routes[kRoutes];
  Route away[kRoutes];
  Made made[kMades];
  uint32_t level;              // of the next region it leads: how many it leads now
  Shared<Mate*> led_by;        // in the part it was in last
  uint32_t most[kMostLevels];  // threads that its teams had
  // Who came to its regions last, by number, and by how many regions it leads around that one: hardly ever changes.
  ThreadSlot team[kMostLevels][kMostMates];
};
extern __thread Mate* mate;

// A region while it lasts; the leader's, on its stack.
struct Team {
  Shared<Location*> leader;
  Shared<Mate*> mates;
  Shared<Key> key;
  Shared<Key> barrier;
  Shared<uint32_t> node;
  Shared<uint32_t> size;
  Shared<uint32_t> level;
  Shared<uint64_t> instance;  // which of its leader's forks in the trace; 0: of none
};

EPIK_COLD bool MakeMate(Location* location);
EPIK_COLD bool PrepareForPart(uint32_t number);
EPIK_COLD uint32_t MakeTask(uint32_t below, Key key);
EPIK_COLD void MakeRoute(Location* location, Route* route, uint32_t from);
EPIK_COLD void MakeAway(Location* location, Route* away, uint32_t outer);
// The part that was settled, and the idle time after it, in the trace.
void LogPart(Location* location, uint64_t joined);
void LogIdle(Location* location, uint32_t idle, uint64_t since, uint64_t now);
// A region that is not measured, because its leader pauses: nor are those who take part in it.
void StandAside(const void* stack);
void ComeBack(const void* stack);

// Closes what is still open within the innermost frame of that key.
EPIK_COLD void CloseInside(Key key);
EPIK_COLD void CloseAbove(Location* location, uint32_t index);
// A team of another size than the largest of its leader, from `forked` to `joined`.
EPIK_COLD void NoteSize(Mate* mates, uint32_t level, uint32_t size, uint64_t forked, uint64_t joined);
EPIK_COLD void JoinMismatched(Team* team, uint64_t now, uint64_t stack);
EPIK_COLD void EnterElsewhereSlowly(uint32_t from, Key key, const void* stack);

// The thread ends: what its leader has said about its last region comes true. REQUIRES: inside.
void LeaveTeam(Location* location, uint64_t now);

void ForgetTeams();  // in a forked child

extern const Part teams_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_TEAMS_TEAM_H_
