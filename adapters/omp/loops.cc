// SPDX-License-Identifier: BSD-3-Clause
// Worksharing loops of libgomp. A loop is one visit from its start to its end on each thread. Its chunks are no events,
// so the `_next` functions are not wrapped: a chunk costs the same as without EPIK. GCC compiles static loops inline,
// where no tool can see them.
#include "adapters/omp/gomp.h"

using epik::event::Construct;

namespace {

using epik::omp::EnterWork;
using epik::omp::IsOn;
using epik::omp::kLoopGroup;
using Ull = unsigned long long;

template <class Function, class... Arguments>
EPIK_HOT bool Start(Function* real, Construct construct, uint64_t caller, const void* stack, Arguments... arguments) {
  if (IsOn(kLoopGroup)) EnterWork(epik::event::ConstructKey(construct, caller), stack);
  return real != nullptr && real(arguments...);
}

// The generic start passes the schedule as a number; the topmost bit tells whether it is monotonic.
Construct ConstructOfSchedule(long schedule) {
  switch (schedule & 0x7fffffff) {
    case 0: return Construct::kLoopRuntime;
    case 2: return Construct::kLoopDynamic;
    case 3: return Construct::kLoopGuided;
    default: return Construct::kLoopStatic;  // also for auto, which means the same
  }
}

}  // namespace

extern "C" {

#define LOOP(schedule, construct)                                                                                    \
  EPIK_EXPORT bool GOMP_loop_##schedule##_start(long start, long end, long step, long chunk, long* first,            \
                                                long* last) {                                                        \
    return Start(EPIK_REAL(GOMP_loop_##schedule##_start), Construct::construct, EPIK_CALLER, EPIK_FRAME, start, end, \
                 step, chunk, first, last);                                                                          \
  }                                                                                                                  \
  EPIK_EXPORT bool GOMP_loop_ull_##schedule##_start(bool up, Ull start, Ull end, Ull step, Ull chunk, Ull* first,    \
                                                    Ull* last) {                                                     \
    return Start(EPIK_REAL(GOMP_loop_ull_##schedule##_start), Construct::construct, EPIK_CALLER, EPIK_FRAME, up,     \
                 start, end, step, chunk, first, last);                                                              \
  }
LOOP(static, kLoopStatic)
LOOP(dynamic, kLoopDynamic)
LOOP(guided, kLoopGuided)
LOOP(nonmonotonic_dynamic, kLoopDynamic)
LOOP(nonmonotonic_guided, kLoopGuided)
LOOP(ordered_static, kLoopOrdered)
LOOP(ordered_dynamic, kLoopOrdered)
LOOP(ordered_guided, kLoopOrdered)

#define LOOP_RUNTIME(schedule, construct)                                                                            \
  EPIK_EXPORT bool GOMP_loop_##schedule##_start(long start, long end, long step, long* first, long* last) {          \
    return Start(EPIK_REAL(GOMP_loop_##schedule##_start), Construct::construct, EPIK_CALLER, EPIK_FRAME, start, end, \
                 step, first, last);                                                                                 \
  }                                                                                                                  \
  EPIK_EXPORT bool GOMP_loop_ull_##schedule##_start(bool up, Ull start, Ull end, Ull step, Ull* first, Ull* last) {  \
    return Start(EPIK_REAL(GOMP_loop_ull_##schedule##_start), Construct::construct, EPIK_CALLER, EPIK_FRAME, up,     \
                 start, end, step, first, last);                                                                     \
  }
LOOP_RUNTIME(runtime, kLoopRuntime)
LOOP_RUNTIME(nonmonotonic_runtime, kLoopRuntime)
LOOP_RUNTIME(maybe_nonmonotonic_runtime, kLoopRuntime)
LOOP_RUNTIME(ordered_runtime, kLoopOrdered)

// GCC calls these for loops with task reductions, or with memory that the threads share.
#define LOOP_GENERIC(kind, construct)                                                                                 \
  EPIK_EXPORT bool GOMP_loop_##kind(long start, long end, long step, long schedule, long chunk, long* first,          \
                                    long* last, uintptr_t* reductions, void** memory) {                               \
    return Start(EPIK_REAL(GOMP_loop_##kind), construct, EPIK_CALLER, EPIK_FRAME, start, end, step, schedule, chunk,  \
                 first, last, reductions, memory);                                                                    \
  }                                                                                                                   \
  EPIK_EXPORT bool GOMP_loop_ull_##kind(bool up, Ull start, Ull end, Ull step, long schedule, Ull chunk, Ull* first,  \
                                        Ull* last, uintptr_t* reductions, void** memory) {                            \
    return Start(EPIK_REAL(GOMP_loop_ull_##kind), construct, EPIK_CALLER, EPIK_FRAME, up, start, end, step, schedule, \
                 chunk, first, last, reductions, memory);                                                             \
  }
LOOP_GENERIC(start, ConstructOfSchedule(schedule))
LOOP_GENERIC(ordered_start, Construct::kLoopOrdered)

EPIK_EXPORT void GOMP_loop_end(void) {
  auto* real = EPIK_REAL(GOMP_loop_end);
  if (real == nullptr) return;
  if (!IsOn(kLoopGroup)) return real();
  epik::omp::EndWork(epik::omp::IsLoop, real, EPIK_FRAME);
}

EPIK_EXPORT bool GOMP_loop_end_cancel(void) {
  auto* real = EPIK_REAL(GOMP_loop_end_cancel);
  if (real == nullptr) return false;
  if (!IsOn(kLoopGroup)) return real();
  return epik::omp::EndWork(epik::omp::IsLoop, real, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_loop_end_nowait(void) {
  auto* real = EPIK_REAL(GOMP_loop_end_nowait);
  if (real != nullptr) real();
  if (IsOn(kLoopGroup)) epik::omp::ExitWork(epik::omp::IsLoop, EPIK_FRAME);
}
}
