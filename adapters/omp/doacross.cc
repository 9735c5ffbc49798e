// SPDX-License-Identifier: BSD-3-Clause
// Loops of libgomp whose iterations wait for others: ordered(n) with depend(sink) and depend(source). A trace has which
// iteration a thread waited for, and which one another thread was done with.
#include "adapters/omp/doacross.h"

#include <cstdarg>

#include "adapters/omp/gomp.h"
#include "runtime/base/thread_memory.h"

using epik::event::Construct;
using epik::event::ConstructKey;
using epik::event::Key;

namespace {

using epik::omp::EnterWork;
using epik::omp::IsOn;
using epik::omp::IterationOf;
using epik::teams::LogIterationDone;
using epik::teams::LogIterationNeeded;
using epik::teams::LogsRecords;
using Ull = unsigned long long;

// The variadic arguments of a wait are one for each loop of the construct. To pass on too many of them does no harm.
constexpr unsigned kMostDimensions = 24;

// The loop that the thread began last: a place in the program, and how many numbers an iteration has.
EPIK_PER_THREAD epik::base::PerThread<epik::omp::DoacrossLoop> loop;

template <class Function, class... Arguments>
EPIK_HOT bool Start(Function* real, uint64_t caller, const void* stack, unsigned dimensions, Arguments... arguments) {
  *loop = {caller, dimensions};
  if (IsOn(epik::omp::kLoopGroup)) EnterWork(ConstructKey(Construct::kLoopDoacross, caller), stack);
  return real != nullptr && real(dimensions, arguments...);
}

// The record comes first: whoever waits for the iteration goes on when libgomp knows.
template <class Number>
EPIK_HOT void Post(void (*real)(Number*), Number* iteration) {
  if (real == nullptr) return;
  if (IsOn(epik::omp::kOrderedGroup) && EPIK_UNLIKELY(LogsRecords())) {
    LogIterationDone(loop->place, IterationOf(iteration, loop->dimensions));
  }
  real(iteration);
}

template <class Number>
EPIK_HOT void Waited(const Number* iteration) {
  if (EPIK_UNLIKELY(LogsRecords()) && loop->dimensions <= kMostDimensions) {
    LogIterationNeeded(loop->place, IterationOf(iteration, loop->dimensions));
  }
}

}  // namespace

extern "C" {

#define LOOP_DOACROSS(schedule)                                                                                        \
  EPIK_EXPORT bool GOMP_loop_doacross_##schedule##_start(unsigned dimensions, long* counts, long chunk, long* first,   \
                                                         long* last) {                                                 \
    return Start(EPIK_REAL(GOMP_loop_doacross_##schedule##_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts, chunk, \
                 first, last);                                                                                         \
  }                                                                                                                    \
  EPIK_EXPORT bool GOMP_loop_ull_doacross_##schedule##_start(unsigned dimensions, Ull* counts, Ull chunk, Ull* first,  \
                                                             Ull* last) {                                              \
    return Start(EPIK_REAL(GOMP_loop_ull_doacross_##schedule##_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts,    \
                 chunk, first, last);                                                                                  \
  }
LOOP_DOACROSS(static)
LOOP_DOACROSS(dynamic)
LOOP_DOACROSS(guided)

EPIK_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned dimensions, long* counts, long* first, long* last) {
  return Start(EPIK_REAL(GOMP_loop_doacross_runtime_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts, first, last);
}

EPIK_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned dimensions, Ull* counts, Ull* first, Ull* last) {
  return Start(EPIK_REAL(GOMP_loop_ull_doacross_runtime_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts, first,
               last);
}

EPIK_EXPORT bool GOMP_loop_doacross_start(unsigned dimensions, long* counts, long schedule, long chunk, long* first,
                                          long* last, uintptr_t* reductions, void** memory) {
  return Start(EPIK_REAL(GOMP_loop_doacross_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts, schedule, chunk, first,
               last, reductions, memory);
}

EPIK_EXPORT bool GOMP_loop_ull_doacross_start(unsigned dimensions, Ull* counts, long schedule, Ull chunk, Ull* first,
                                              Ull* last, uintptr_t* reductions, void** memory) {
  return Start(EPIK_REAL(GOMP_loop_ull_doacross_start), EPIK_CALLER, EPIK_FRAME, dimensions, counts, schedule, chunk,
               first, last, reductions, memory);
}

#define DOACROSS_WAIT(name, type)                                                                                      \
  EPIK_EXPORT void name(type first, ...) {                                                                             \
    using Fixed = void(type, type, type, type, type, type, type, type, type, type, type, type, type, type, type, type, \
                       type, type, type, type, type, type, type, type);                                                \
    auto* real = reinterpret_cast<Fixed*>(reinterpret_cast<void*>(EPIK_REAL(name)));                                   \
    if (real == nullptr) return;                                                                                       \
    type a[kMostDimensions] = {first};                                                                                 \
    va_list rest;                                                                                                      \
    va_start(rest, first);                                                                                             \
    for (unsigned i = 1; i < kMostDimensions; ++i) a[i] = va_arg(rest, type);                                          \
    va_end(rest);                                                                                                      \
    const bool on = IsOn(epik::omp::kOrderedGroup);                                                                    \
    const Key key = ConstructKey(Construct::kDoacrossWait, EPIK_CALLER);                                               \
    if (on) epik::episode::Enter(key, EPIK_FRAME);                                                                     \
    real(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14], a[15], a[16],  \
         a[17], a[18], a[19], a[20], a[21], a[22], a[23]);                                                             \
    if (!on) return;                                                                                                   \
    Waited(a);                                                                                                         \
    epik::episode::Exit(key, EPIK_FRAME);                                                                              \
  }
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, Ull)

EPIK_EXPORT void GOMP_doacross_post(long* iteration) { Post(EPIK_REAL(GOMP_doacross_post), iteration); }
EPIK_EXPORT void GOMP_doacross_ull_post(Ull* iteration) { Post(EPIK_REAL(GOMP_doacross_ull_post), iteration); }
}
