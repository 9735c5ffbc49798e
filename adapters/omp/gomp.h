// SPDX-License-Identifier: BSD-3-Clause
// Shared by the wrappers of libgomp's entry points: the real function, whether to measure, and keys.
#ifndef EPIK_ADAPTERS_OMP_GOMP_H_
#define EPIK_ADAPTERS_OMP_GOMP_H_

#include <cstdint>
#include <type_traits>

#include "adapters/omp/ordering.h"
#include "runtime/base/compiler.h"
#include "runtime/episode/location_hot.h"
#include "runtime/monitor/collectors.h"
#include "runtime/teams/team_log.h"

namespace epik::omp {

using event::Construct;
using event::ConstructKey;
using event::Key;

// The order of config::kOmpGroups.
enum Group : uint64_t {
  kParallelGroup = 1 << 0,
  kLoopGroup = 1 << 1,
  kSectionsGroup = 1 << 2,
  kSingleGroup = 1 << 3,
  kBarrierGroup = 1 << 4,
  kCriticalGroup = 1 << 5,
  kOrderedGroup = 1 << 6,
  kLockGroup = 1 << 7,
  kTaskGroup = 1 << 8,
  kTeamsGroup = 1 << 9,
  kFlushGroup = 1 << 10,
};

// Groups that are measured here; only locks when OMPT sees the others.
inline constexpr uint64_t kNotAsked = uint64_t{1} << 63;
extern uint64_t gomp_groups;
// Whether this thread is measured; the first event of the process, or of a thread, comes to IsOnFirst.
EPIK_COLD bool IsOnFirst(uint64_t group);
EPIK_HOT bool IsOn(uint64_t group) {
  const uint64_t groups = __atomic_load_n(&gomp_groups, __ATOMIC_RELAXED);
  const bool is_known = episode::current != nullptr && groups != kNotAsked;
  return EPIK_LIKELY(is_known) ? (groups & group) != 0 : IsOnFirst(group);
}
// OMPT has taken over.
void TurnGompOff();

// The next definition of a symbol, in libgomp at any place; null: none.
EPIK_COLD void* FindReal(const char* name);

template <class Function>
struct Real {
  const char* name;
  Function* function;
  EPIK_HOT Function* Get() {
    Function* known = __atomic_load_n(&function, __ATOMIC_RELAXED);
    if (EPIK_LIKELY(known != nullptr)) return known;
    known = reinterpret_cast<Function*>(FindReal(name));
    __atomic_store_n(&function, known, __ATOMIC_RELAXED);
    return known;
  }
};
// The real function, looked up once, at the first call.
#define EPIK_REAL(name)                                                      \
  ([]() __attribute__((always_inline)) {                                     \
    static constinit ::epik::omp::Real<decltype(name)> real{#name, nullptr}; \
    return real.Get();                                                       \
  }())

// The call of the wrapper, an address within the line of the construct.
#define EPIK_CALLER (reinterpret_cast<uint64_t>(__builtin_return_address(0)) - 1)
#define EPIK_FRAME __builtin_frame_address(0)

EPIK_HOT Construct ConstructOf(Key key) { return event::IsRegion(key) ? Construct::kNone : event::ConstructOf(key); }
// Kinds of constructs, to be looked for on the stack.
inline bool IsLoop(Construct construct) {
  return construct >= Construct::kLoopStatic && construct <= Construct::kLoopDoacross;
}
template <Construct kind>
bool Is(Construct construct) {
  return construct == kind;
}
// The innermost open region of this thread; 0: the thread is not measured, maybe since a moment ago.
EPIK_HOT Key Innermost() {
  const event::Location* location = episode::current;
  return EPIK_LIKELY(location != nullptr) ? episode::FrameAt(location->top)->key : 0;
}

// The code that calls outlined functions. A function that ends with a call of libgomp jumps there, so that this call
// seems to come from the code around the function.
#define EPIK_RUNS_BODIES __attribute__((noinline, section("epik_omp_bodies")))
extern "C" __attribute__((visibility("hidden"))) const char __start_epik_omp_bodies, __stop_epik_omp_bodies;
EPIK_HOT bool RunsBodies(uint64_t caller) {
  return caller - reinterpret_cast<uint64_t>(&__start_epik_omp_bodies) <
         static_cast<uint64_t>(&__stop_epik_omp_bodies - &__start_epik_omp_bodies);
}

// Place of the `single` that the thread has reached and whose barrier is still to come; 0: none.
extern __thread uint64_t single_at;

// GCC does not tell where the body of a `single` ends. This ends it at the next construct that cannot be inside it.
EPIK_HOT void EndSingle(const void* stack) {
  const Key innermost = Innermost();
  if (EPIK_UNLIKELY(ConstructOf(innermost) == Construct::kSingle)) episode::Exit(innermost, stack);
}

// A worksharing construct begins.
EPIK_HOT void EnterWork(Key key, const void* stack) {
  EndSingle(stack);
  single_at = 0;
  episode::Enter(key, stack);
}

// Exits the innermost frame of one of these kinds, and the frames left open in it.
EPIK_COLD void ExitOuterWork(bool (*is_it)(Construct), const void* stack);

// Exits the innermost construct of the kind.
EPIK_HOT void ExitWork(bool (*is_it)(Construct), const void* stack) {
  const Key key = Innermost();
  if (EPIK_UNLIKELY(key == 0)) return;
  if (EPIK_UNLIKELY(!is_it(ConstructOf(key)))) return ExitOuterWork(is_it, stack);
  episode::Exit(key, stack);
}

// Calls `real`, which waits for the other threads, as a barrier of its own below the innermost region; or as a wait for
// tasks.
template <class Order = order::Barrier, class Function, class... Arguments>
EPIK_HOT auto Wait(Function* real, Key barrier, const void* stack, Arguments... arguments) {
  episode::Enter(barrier, stack);
  if (EPIK_UNLIKELY(teams::LogsRecords())) teams::LogWait(barrier);
  [[maybe_unused]] const Order ordered;
  if constexpr (std::is_void_v<decltype(real(arguments...))>) {
    real(arguments...);
    if (EPIK_UNLIKELY(monitor::NotesTeams())) monitor::NoteTeamBarrier(barrier, stack);
    episode::Exit(barrier, stack);
  } else {
    const auto result = real(arguments...);
    if (EPIK_UNLIKELY(monitor::NotesTeams())) monitor::NoteTeamBarrier(barrier, stack);
    episode::Exit(barrier, stack);
    return result;
  }
}

// Ends the innermost construct of the kind, then enters the barrier that libgomp's function contains. The barrier is
// beside the construct, as for loops that GCC compiles inline, and as OMPT reports it.
template <class Function, class... Arguments>
EPIK_HOT auto EndWork(bool (*is_it)(Construct), Function* real, const void* stack, Arguments... arguments) {
  const Key barrier = ConstructKey(Construct::kImplicitBarrier, event::AddressOf(Innermost()));
  ExitWork(is_it, stack);
  if (EPIK_UNLIKELY(!IsOn(kBarrierGroup))) return real(arguments...);
  return Wait(real, barrier, stack, arguments...);
}

}  // namespace epik::omp

#endif  // EPIK_ADAPTERS_OMP_GOMP_H_
