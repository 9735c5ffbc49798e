// SPDX-License-Identifier: BSD-3-Clause
// Loops of libgomp whose iterations wait for others: ordered(n) with depend(sink) and depend(source). A trace has the
// iterations for which a thread waited, and those that threads have done.
#include "adapters/omp/doacross.h"

#include <algorithm>
#include <cstdarg>
#include <utility>

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

// The loop that the thread began last: its place in the program, and how many numbers an iteration has.
EPIK_PER_THREAD epik::base::PerThread<epik::omp::DoacrossLoop> loop;

template <class Function, class... Arguments>
EPIK_HOT bool Start(Function* real, uint64_t caller, const void* stack, unsigned dimensions, Arguments... arguments) {
  *loop = {caller, dimensions, std::max(loop->most, dimensions)};
  if (IsOn(epik::omp::kLoopGroup)) EnterWork(ConstructKey(Construct::kLoopDoacross, caller), stack);
  return real != nullptr && real(dimensions, arguments...);
}

// The record comes first: threads that wait for the iteration go on as soon as libgomp knows.
template <class Number>
EPIK_HOT void Post(void (*real)(Number*), Number* iteration) {
  if (real == nullptr) return;
  if (IsOn(epik::omp::kOrderedGroup) && EPIK_UNLIKELY(LogsRecords())) {
    LogIterationDone(loop->place, IterationOf(iteration, loop->dimensions));
  }
  real(iteration);
}

// The variadic arguments of a wait are one for each loop of the construct.
constexpr unsigned kUsualDimensions = 24, kMostDimensions = 256;

template <class Number, size_t>
using One = Number;
// Passing on too many arguments does no harm.
template <class Number, size_t... At>
EPIK_HOT void Call(void* real, const Number* iteration, std::index_sequence<At...>) {
  reinterpret_cast<void (*)(One<Number, At>...)>(real)(iteration[At]...);
}

template <class Number, unsigned kRoom>
EPIK_HOT void PassOn(void* real, Number first, va_list rest, unsigned given, uint64_t caller, const void* stack) {
  Number iteration[kRoom] = {first};
  for (unsigned d = 1; d < given && d < kRoom; ++d) iteration[d] = va_arg(rest, Number);
  const bool is_on = IsOn(epik::omp::kOrderedGroup);
  const Key key = ConstructKey(Construct::kDoacrossWait, caller);
  if (is_on) epik::episode::Enter(key, stack);
  Call(real, iteration, std::make_index_sequence<kRoom>());
  if (!is_on) return;
  if (EPIK_UNLIKELY(LogsRecords()) && loop->dimensions <= kRoom) {
    LogIterationNeeded(loop->place, IterationOf(iteration, loop->dimensions));
  }
  epik::episode::Exit(key, stack);
}

template <class Number>
EPIK_COLD void PassOnMany(void* real, Number first, va_list rest, uint64_t caller, const void* stack) {
  PassOn<Number, kMostDimensions>(real, first, rest, loop->most, caller, stack);
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

#define DOACROSS_WAIT(name, type)                                                                   \
  EPIK_EXPORT void name(type first, ...) {                                                          \
    void* real = reinterpret_cast<void*>(EPIK_REAL(name));                                          \
    if (real == nullptr) return;                                                                    \
    va_list rest;                                                                                   \
    va_start(rest, first);                                                                          \
    if (EPIK_LIKELY(loop->most <= kUsualDimensions)) {                                              \
      PassOn<type, kUsualDimensions>(real, first, rest, kUsualDimensions, EPIK_CALLER, EPIK_FRAME); \
    } else {                                                                                        \
      PassOnMany(real, first, rest, EPIK_CALLER, EPIK_FRAME);                                       \
    }                                                                                               \
    va_end(rest);                                                                                   \
  }
DOACROSS_WAIT(GOMP_doacross_wait, long)
DOACROSS_WAIT(GOMP_doacross_ull_wait, Ull)

EPIK_EXPORT void GOMP_doacross_post(long* iteration) { Post(EPIK_REAL(GOMP_doacross_post), iteration); }
EPIK_EXPORT void GOMP_doacross_ull_post(Ull* iteration) { Post(EPIK_REAL(GOMP_doacross_ull_post), iteration); }
}
