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
#ifndef EPIK_RUNTIME_EPISODE_TEAM_H_
#define EPIK_RUNTIME_EPISODE_TEAM_H_

#include <cstdint>

#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/event/layout.h"

namespace epik::episode {

inline constexpr uint32_t kRoutes = 64;
inline constexpr uint32_t kMostMates = 2048;
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

// What a location needs for OpenMP, beside the arena: made when it first takes part.
struct Mate {
  Location* location;
  uint32_t idle;       // node
  uint32_t displaced;  // of the part it is in
  bool pool;           // its outermost frame is one of the three states
  Route routes[kRoutes];
  Route away[kRoutes];
  ThreadSlot team[kMostMates];  // who came to its regions last, by number: hardly ever changes
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
};

EPIK_COLD bool MakeMate(Location* location);
EPIK_COLD bool PrepareForPart(uint32_t number);
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
EPIK_COLD void JoinMismatched(Team* team, uint64_t now, uint64_t stack);
EPIK_COLD void EnterElsewhereSlowly(uint32_t from, Key key, const void* stack);

// The call path that a task created now will have: `key` below `node` of the calling thread. REQUIRES: it has a
// location.
uint32_t ChildFor(uint32_t node, Key key);

// A visit of `node` that interrupted `outer` has taken so long.
void Displace(Location* location, uint32_t node, uint32_t outer, uint64_t duration);

// The thread ends: what its leader has said about its last region comes true. REQUIRES: inside.
void LeaveTeam(Location* location, uint64_t now);

// In a forked child.
void ForgetTeams();

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_TEAM_H_
