// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions of libgomp. libgomp gets our function instead of the outlined one, and a description of the region
// on the leader's stack. The stack is a safe place: when the entry point returns, no thread is in the region any more.
#include <cstdlib>
#include <cstring>

#include "adapters/omp/gomp.h"
#include "runtime/base/thread_memory.h"
#include "runtime/choice/pause.h"
#include "runtime/teams/team_hot.h"

using epik::event::Construct;
using epik::event::ConstructKey;
using epik::event::Key;

namespace {

using Body = void (*)(void*);

struct Region : epik::teams::Team {
  epik::teams::Shared<Body> body;
  epik::teams::Shared<void*> data;
  [[no_unique_address]] epik::omp::order::Team order;
  epik::teams::Shared<Key> work;  // the worksharing construct, if the region consists of just one; else 0
};

// Wrapping these would slow down static loops; calling them does not.
extern "C" {
int omp_get_thread_num(void);
int omp_get_num_threads(void);
}

int NumberOfThread() {
  auto* real = EPIK_REAL(omp_get_thread_num);
  return real != nullptr ? real() : 0;
}

int SizeOfTeam() {
  auto* real = EPIK_REAL(omp_get_num_threads);
  return real != nullptr ? real() : 1;
}

EPIK_HOT bool Begin(Region* region, Construct work, Body body, void* data, const void* stack) {
  if (!epik::omp::IsOn(epik::omp::kParallelGroup)) return false;
  const auto address = reinterpret_cast<uint64_t>(body);
  region->body = body;
  region->data = data;
  const uint64_t group = work == Construct::kSections ? epik::omp::kSectionsGroup : epik::omp::kLoopGroup;
  const bool has_work = work != Construct::kNone && epik::omp::IsOn(group);
  region->work = has_work ? ConstructKey(work, address) : 0;
  return epik::teams::Fork(region, ConstructKey(Construct::kParallel, address), stack);
}

EPIK_HOT void RunBody(Region* region, const void* stack) {
  const Key work = region->work;
  epik::omp::single_at = 0;
  if (work != 0) epik::episode::Enter(work, stack);
  const bool logs = work != 0 && epik::omp::ConstructOf(work) == Construct::kSections && epik::teams::LogsRecords();
  if (EPIK_UNLIKELY(logs)) epik::teams::LogWork();
  region->body.operator Body()(region->data);
}

// libgomp calls this on each thread of the team.
EPIK_RUNS_BODIES void Run(void* heap) {
  auto* region = static_cast<Region*>(heap);
  const void* stack = EPIK_FRAME;
  [[maybe_unused]] const epik::omp::order::Part ordered(&region->order);
  const epik::event::Location* leader = region->leader.Take();
  const epik::event::Location* mine = epik::episode::current;
  if (mine == leader) {
    region->size = static_cast<uint32_t>(SizeOfTeam());
    if (EPIK_UNLIKELY(epik::teams::LogsRecords())) epik::teams::LogTeamBegin(region, 0);
    RunBody(region, stack);
    epik::teams::EndOwnPart(region, stack);
    return;
  }
  const auto number = static_cast<uint32_t>(NumberOfThread());
  if (!epik::teams::BeginPart(region, number)) return region->body.operator Body()(region->data);
  RunBody(region, stack);
  epik::teams::EndPart(region);
}

// The same, while the leader pauses: the team's threads must pause, too.
struct Unmeasured {
  epik::teams::Shared<Body> body;
  epik::teams::Shared<void*> data;
};

void RunUnmeasured(void* heap) {
  auto* region = static_cast<Unmeasured*>(heap);
  epik::teams::StandAside(EPIK_FRAME);
  region->body.operator Body()(region->data);
  epik::teams::ComeBack(EPIK_FRAME);
}

template <class Function, class... Rest>
EPIK_COLD void InUnmeasured(Function* real, Body body, void* data, Rest... rest) {
  if (epik::episode::pauses == 0) {
    real(body, data, rest...);
    return;
  }
  Unmeasured region;
  region.body = body;
  region.data = data;
  real(RunUnmeasured, &region, rest...);
}

template <class Function, class... Rest>
EPIK_HOT void InParallel(Function* real, Construct work, const void* stack, Body body, void* data, Rest... rest) {
  if (EPIK_UNLIKELY(real == nullptr)) return body(data);  // no libgomp at all: a team of one
  Region region;
  if (!Begin(&region, work, body, data, stack)) {
    return InUnmeasured(real, body, data, rest...);
  }
  epik::omp::order::Fork(&region.order);
  real(Run, &region, rest...);
  epik::omp::order::Joined(&region.order);
  epik::teams::Join(&region, stack);
}

// The form of GCC up to 4.8: the leader returns, calls the body itself, and then the end.
struct OpenRegion {
  Region region;
  bool measured;
  uint32_t depth;
  OpenRegion* outer;
};
EPIK_PER_THREAD epik::base::PerThread<OpenRegion*> open_region;  // the innermost
EPIK_PER_THREAD epik::base::PerThread<uint32_t> open_depth;

template <class Function, class... Rest>
void StartParallel(Function* real, Construct work, const void* stack, Body body, void* data, Rest... rest) {
  if (real == nullptr) return;
  const uint32_t depth = (*open_depth)++;
  auto* open = static_cast<OpenRegion*>(calloc(1, sizeof(OpenRegion)));
  if (open != nullptr) {
    open->depth = depth;
    open->outer = *open_region;
    open->measured = Begin(&open->region, work, body, data, stack);
    *open_region = open;
  }
  if (open == nullptr || !open->measured) return real(body, data, rest...);
  Region* region = &open->region;
  real(Run, region, rest...);
  region->size = static_cast<uint32_t>(SizeOfTeam());
  if (epik::teams::LogsRecords()) epik::teams::LogTeamBegin(region, 0);
  const Key key = region->work;
  if (key != 0) epik::episode::Enter(key, stack);
}

template <class Function, class... Arguments>
EPIK_HOT void InTarget(Function* real, uint64_t caller, const void* stack, Arguments... arguments) {
  if (real == nullptr) return;
  const Key key = ConstructKey(Construct::kTarget, caller);
  const bool on = epik::omp::IsOn(epik::omp::kTeamsGroup);
  if (on) epik::episode::Enter(key, stack);
  real(arguments...);
  if (on) epik::episode::Exit(key, stack);
}

}  // namespace

extern "C" {

#define PARALLEL_PARAMETERS Body body, void *data, unsigned threads
#define LOOP_PARAMETERS PARALLEL_PARAMETERS, long start, long end, long step

EPIK_EXPORT void GOMP_parallel(PARALLEL_PARAMETERS, unsigned flags) {
  InParallel(EPIK_REAL(GOMP_parallel), Construct::kNone, EPIK_FRAME, body, data, threads, flags);
}

// libgomp finds the reductions through the first word of the data that it passes on, so our data begins with that word.
struct Reducing {
  void* reductions;
  Region region;
};

static void RunReducing(void* heap) { Run(&static_cast<Reducing*>(heap)->region); }

EPIK_EXPORT unsigned GOMP_parallel_reductions(PARALLEL_PARAMETERS, unsigned flags) {
  auto* real = EPIK_REAL(GOMP_parallel_reductions);
  if (real == nullptr) return body(data), 1;
  Reducing reducing;
  Region* region = &reducing.region;
  if (!Begin(region, Construct::kNone, body, data, EPIK_FRAME)) return real(body, data, threads, flags);
  std::memcpy(&reducing.reductions, data, sizeof reducing.reductions);
  epik::omp::order::Fork(&region->order);
  const unsigned size = real(RunReducing, &reducing, threads, flags);
  epik::omp::order::Joined(&region->order);
  epik::teams::Join(region, EPIK_FRAME);
  return size;
}

EPIK_EXPORT void GOMP_parallel_sections(PARALLEL_PARAMETERS, unsigned count, unsigned flags) {
  InParallel(EPIK_REAL(GOMP_parallel_sections), Construct::kSections, EPIK_FRAME, body, data, threads, count, flags);
}

#define PARALLEL_LOOP(schedule, construct)                                                                             \
  EPIK_EXPORT void GOMP_parallel_loop_##schedule(LOOP_PARAMETERS, long chunk, unsigned flags) {                        \
    InParallel(EPIK_REAL(GOMP_parallel_loop_##schedule), Construct::construct, EPIK_FRAME, body, data, threads, start, \
               end, step, chunk, flags);                                                                               \
  }
PARALLEL_LOOP(static, kLoopStatic)
PARALLEL_LOOP(dynamic, kLoopDynamic)
PARALLEL_LOOP(guided, kLoopGuided)
PARALLEL_LOOP(nonmonotonic_dynamic, kLoopDynamic)
PARALLEL_LOOP(nonmonotonic_guided, kLoopGuided)

#define PARALLEL_LOOP_RUNTIME(schedule)                                                                            \
  EPIK_EXPORT void GOMP_parallel_loop_##schedule(LOOP_PARAMETERS, unsigned flags) {                                \
    InParallel(EPIK_REAL(GOMP_parallel_loop_##schedule), Construct::kLoopRuntime, EPIK_FRAME, body, data, threads, \
               start, end, step, flags);                                                                           \
  }
PARALLEL_LOOP_RUNTIME(runtime)
PARALLEL_LOOP_RUNTIME(nonmonotonic_runtime)
PARALLEL_LOOP_RUNTIME(maybe_nonmonotonic_runtime)

EPIK_EXPORT void GOMP_parallel_start(PARALLEL_PARAMETERS) {
  StartParallel(EPIK_REAL(GOMP_parallel_start), Construct::kNone, EPIK_FRAME, body, data, threads);
}

EPIK_EXPORT void GOMP_parallel_sections_start(PARALLEL_PARAMETERS, unsigned count) {
  StartParallel(EPIK_REAL(GOMP_parallel_sections_start), Construct::kSections, EPIK_FRAME, body, data, threads, count);
}

#define PARALLEL_LOOP_START(schedule, construct)                                                                  \
  EPIK_EXPORT void GOMP_parallel_loop_##schedule##_start(LOOP_PARAMETERS, long chunk) {                           \
    StartParallel(EPIK_REAL(GOMP_parallel_loop_##schedule##_start), Construct::construct, EPIK_FRAME, body, data, \
                  threads, start, end, step, chunk);                                                              \
  }
PARALLEL_LOOP_START(static, kLoopStatic)
PARALLEL_LOOP_START(dynamic, kLoopDynamic)
PARALLEL_LOOP_START(guided, kLoopGuided)

EPIK_EXPORT void GOMP_parallel_loop_runtime_start(LOOP_PARAMETERS) {
  StartParallel(EPIK_REAL(GOMP_parallel_loop_runtime_start), Construct::kLoopRuntime, EPIK_FRAME, body, data, threads,
                start, end, step);
}

EPIK_EXPORT void GOMP_parallel_end(void) {
  auto* real = EPIK_REAL(GOMP_parallel_end);
  if (*open_depth != 0) --*open_depth;
  OpenRegion* innermost = *open_region;
  OpenRegion* open = innermost != nullptr && innermost->depth == *open_depth ? innermost : nullptr;
  if (open != nullptr) *open_region = open->outer;
  Region* region = open != nullptr && open->measured ? &open->region : nullptr;
  if (region != nullptr) epik::teams::EndOwnPart(region, EPIK_FRAME);
  if (real != nullptr) real();
  if (region != nullptr) epik::teams::Join(region, EPIK_FRAME);
  free(open);
}

// A league on the host: its teams run one after the other, on this thread.
EPIK_EXPORT void GOMP_teams_reg(Body body, void* data, unsigned teams, unsigned limit, unsigned flags) {
  auto* real = EPIK_REAL(GOMP_teams_reg);
  if (real == nullptr) return body(data);
  const Key key = ConstructKey(Construct::kTeams, reinterpret_cast<uint64_t>(body));
  const bool on = epik::omp::IsOn(epik::omp::kTeamsGroup);
  if (on) epik::episode::Enter(key, EPIK_FRAME);
  real(body, data, teams, limit, flags);
  if (on) epik::episode::Exit(key, EPIK_FRAME);
}

// Code that runs on a device, or here when there is no device, and data that is moved to and from it. The host waits
// for it, unless the construct is a task of its own.
EPIK_EXPORT void GOMP_target_ext(int device, Body body, size_t count, void** addresses, size_t* sizes,
                                 unsigned short* kinds, unsigned flags, void** depend, void** arguments) {
  InTarget(EPIK_REAL(GOMP_target_ext), EPIK_CALLER, EPIK_FRAME, device, body, count, addresses, sizes, kinds, flags,
           depend, arguments);
}

EPIK_EXPORT void GOMP_target_data_ext(int device, size_t count, void** addresses, size_t* sizes,
                                      unsigned short* kinds) {
  InTarget(EPIK_REAL(GOMP_target_data_ext), EPIK_CALLER, EPIK_FRAME, device, count, addresses, sizes, kinds);
}

EPIK_EXPORT void GOMP_target_end_data(void) { InTarget(EPIK_REAL(GOMP_target_end_data), EPIK_CALLER, EPIK_FRAME); }

EPIK_EXPORT void GOMP_target_update_ext(int device, size_t count, void** addresses, size_t* sizes,
                                        unsigned short* kinds, unsigned flags, void** depend) {
  InTarget(EPIK_REAL(GOMP_target_update_ext), EPIK_CALLER, EPIK_FRAME, device, count, addresses, sizes, kinds, flags,
           depend);
}

EPIK_EXPORT void GOMP_target_enter_exit_data(int device, size_t count, void** addresses, size_t* sizes,
                                             unsigned short* kinds, unsigned flags, void** depend) {
  InTarget(EPIK_REAL(GOMP_target_enter_exit_data), EPIK_CALLER, EPIK_FRAME, device, count, addresses, sizes, kinds,
           flags, depend);
}
}
