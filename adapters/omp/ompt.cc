// SPDX-License-Identifier: BSD-3-Clause
// Measures LLVM's libomp by OpenMP's own tool interface, and gives the same regions as libgomp's entry points. The
// interface tells neither the schedule of a loop nor the waits of doacross: wrappers of the library's functions tell
// them.
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "adapters/omp/doacross.h"
#include "adapters/omp/gomp.h"
#include "adapters/omp/ompt_interface.h"
#include "adapters/omp/ompt_ordering.h"
#include "adapters/omp/ompt_tasks.h"
#include "runtime/base/thread_memory.h"
#include "runtime/choice/pause.h"
#include "runtime/epilog/held_locks.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"
#include "runtime/episode/room.h"
#include "runtime/monitor/collectors.h"
#include "runtime/teams/task_hot.h"

namespace epik::ompt {

namespace {

using episode::current;
using event::Construct;
using event::ConstructKey;
using event::Key;
using omp::Innermost;
using teams::kOnNoStack;

struct Team : teams::Team {
  [[no_unique_address]] order::Team ordered;
};

// The regions that this thread leads, and the region it works in. The data for ThreadSanitizer leave room for fewer.
constexpr uint32_t kRoomBytes =
    static_cast<uint32_t>(episode::Room::kEnd) - static_cast<uint32_t>(episode::Room::kLedTeams);
constexpr uint32_t kMostLed = std::min<uint32_t>(8, kRoomBytes / sizeof(Team));
static_assert(kMostLed == 8 || !std::is_empty_v<order::Team>);
constexpr uint32_t kLedBytes = kMostLed * sizeof(Team);
// Stands for a region that is not measured because its leader pauses.
Team unmeasured;

// A call of __kmpc_barrier. libomp notes for thread 0 where the call came from, but loses or changes the note when
// another thread leaves a critical section at that moment. So our wrapper notes the place.
struct BarrierCall {
  const void* caller;
  const void* told = nullptr;  // the place that libomp told when the barrier began
  bool has_begun = false;
  BarrierCall* outer;  // tasks run in barriers, and have barriers of their own regions
};

// State of the calling thread.
struct ThreadState {
  Team* led = nullptr;
  uint32_t depth = 0;
  Team* part_of = nullptr;
  bool stands_aside = false;  // it works in a region that is not measured
  // The kind of the loop that is about to begin, and the place of the call that begins it, if a wrapper of ours saw the
  // call.
  Construct next_loop = Construct::kLoopStatic;
  uint64_t next_place = 0;
  const void* taskloop = nullptr;  // the program's call of a taskloop: libomp tells an address within itself
  BarrierCall* barrier_call = nullptr;
  omp::DoacrossLoop doacross;  // the loop that the thread began last
};
EPIK_PER_THREAD base::PerThread<ThreadState> mine;

uint64_t groups = 0;

// Usually a thread gets its location at its part in a region. When regions are not measured, it gets one at its first
// construct.
bool IsMeasured() {
  if (current != nullptr) return true;
  return (groups & omp::kParallelGroup) == 0 && episode::CurrentLocation() != nullptr;
}

bool Measures(uint64_t group) { return (groups & group) != 0 && IsMeasured(); }

// One byte before the return address is still within the line of the construct.
uint64_t Place(const void* return_address) { return reinterpret_cast<uint64_t>(return_address) - 1; }

void EnterAt(Construct construct, const void* return_address) {
  episode::Enter(ConstructKey(construct, Place(return_address)), kOnNoStack);
}

void EnterWorkAt(Construct construct, const void* return_address) {
  EnterAt(construct, return_address);
  if (teams::LogsRecords()) teams::LogWork();
}

void ExitInnermost(bool (*is_it)(Construct)) { omp::ExitWork(is_it, kOnNoStack); }

void OnParallelBegin(Data*, const Frame*, Data* parallel, unsigned, int flags, const void* return_address) {
  parallel->pointer = nullptr;
  const uint32_t level = mine->depth++;
  if (level < kMostLed && mine->led != nullptr) mine->led[level].leader = nullptr;
  if (episode::pauses != 0) {
    parallel->pointer = &unmeasured;
    return;
  }
  const bool league = (flags & kLeague) != 0;
  if (level >= kMostLed || (groups & (league ? omp::kTeamsGroup : omp::kParallelGroup)) == 0) return;
  if (return_address == nullptr) return;  // encloses each team of a league, and is no code of the program
  if (current == nullptr && episode::CurrentLocation() == nullptr) {
    if (episode::pauses != 0) parallel->pointer = &unmeasured;  // the thread begins with a pause
    return;
  }
  Team*& led = mine->led;
  if (led == nullptr) led = static_cast<Team*>(episode::TakeRoom(current, episode::Room::kLedTeams, kLedBytes));
  if (led == nullptr) return;
  const Construct construct = league ? Construct::kTeams : Construct::kParallel;
  Team* team = &led[level];
  if (!teams::Fork(team, ConstructKey(construct, Place(return_address)), kOnNoStack)) return;
  order::Fork(&team->ordered);
  parallel->pointer = team;
}

void OnParallelEnd(Data* parallel, Data*, int, const void*) {
  if (mine->depth != 0) --mine->depth;
  auto* team = static_cast<Team*>(parallel->pointer);
  if (team == nullptr || team == &unmeasured || current == nullptr) return;
  order::Joined(&team->ordered);
  const Key innermost = Innermost();
  if (innermost != team->barrier) teams::EndOwnPart(team, kOnNoStack);  // a team of one has no barrier
  teams::Join(team, kOnNoStack);
}

void OnImplicitTask(int endpoint, Data* parallel, Data* task, unsigned size, unsigned index, int flags) {
  // libomp reports the end of a part too late, when the thread is needed again: barriers tell it earlier.
  if (endpoint != kBegin) return;
  // The first task of a team of a league is a part of the league.
  if (parallel == nullptr || ((flags & kTaskInitial) != 0 && parallel->pointer == nullptr)) {
    task->value = kNoTask;
    return;
  }
  order::Take(task);
  task->value = kNoTask;
  order::HandOn(task);
  auto* team = static_cast<Team*>(parallel->pointer);
  if (team == nullptr) return;
  if (team == &unmeasured) {
    mine->stands_aside = index != 0;
    if (mine->stands_aside) teams::StandAside(kOnNoStack);
    return;
  }
  if (team->leader.Take() == static_cast<event::Location*>(current)) {
    team->size = size;
    if (teams::LogsRecords()) teams::LogTeamBegin(team, 0);
  } else {
    order::BeginPart(&team->ordered);
    mine->part_of = teams::BeginPart(team, index) ? team : nullptr;
  }
}

void EnterBarrier(Construct construct, const void* return_address) {
  order::EnterBarrier();
  EnterAt(construct, return_address);
  if (teams::LogsRecords()) teams::LogWait(ConstructKey(construct, Place(return_address)));
}

void EnterTaskwait(Key key) {
  episode::Enter(key, kOnNoStack);
  if (teams::LogsRecords()) teams::LogWait(key);
}

Team* LedInnermost() {
  const uint32_t depth = mine->depth;
  return depth != 0 && depth <= kMostLed && mine->led != nullptr ? &mine->led[depth - 1] : nullptr;
}

// Whether the barrier ends this thread's part of its region, and not a construct within it.
bool EndsPart(const Team* team, const void* return_address) {
  return return_address == nullptr || Place(return_address) == event::AddressOf(team->key);
}

void BeginImplicitBarrier(const void* return_address) {
  Team* own = LedInnermost();
  if (mine->part_of != nullptr && (own == nullptr || own->leader.Take() != static_cast<event::Location*>(current))) {
    if (EndsPart(mine->part_of, return_address)) {
      order::EndPart(&mine->part_of->ordered);
      teams::EndPart(mine->part_of);
      mine->part_of = nullptr;
      return;
    }
  } else if (own != nullptr && EndsPart(own, return_address)) {
    teams::EndOwnPart(own, kOnNoStack);
    return;
  }
  if (return_address == nullptr || !Measures(omp::kBarrierGroup)) return;
  omp::EndSingle(kOnNoStack);
  EnterBarrier(Construct::kImplicitBarrier, return_address);
}

// The place of the barrier whose begin or end libomp reports.
const void* PlaceOfBarrier(int endpoint, const void* told) {
  BarrierCall* call = mine->barrier_call;
  if (call == nullptr || call->has_begun != (endpoint == kEnd)) return told;
  if (endpoint == kEnd) return told == call->told ? call->caller : told;
  call->told = told;
  call->has_begun = true;
  return call->caller;
}

void OnBarrier(int kind, int endpoint, const void* told) {
  const void* return_address = PlaceOfBarrier(endpoint, told);
  const Construct construct =
      kind == kSyncExplicit || kind == kSyncBarrier ? Construct::kBarrier : Construct::kImplicitBarrier;
  if (endpoint == kEnd) {
    // OnParallelEnd handles the barrier at the region's end, because libomp reports it late to all threads but the
    // leader.
    const Key key = ConstructKey(construct, Place(return_address));
    const Team* own = LedInnermost();
    if (own != nullptr && own->barrier == key && own->leader.Take() == static_cast<event::Location*>(current)) return;
    if (Innermost() != key) return;
    order::ExitBarrier();
    if (monitor::NotesTeams()) monitor::NoteTeamBarrier(key, kOnNoStack);
    return episode::Exit(key, kOnNoStack);  // exits it even if the address is not known, because it was entered
  }
  if (construct == Construct::kImplicitBarrier) return BeginImplicitBarrier(return_address);
  if (Measures(omp::kBarrierGroup)) EnterBarrier(construct, return_address);
}

void OnSyncRegion(int kind, int endpoint, Data*, Data* task, const void* return_address) {
  if (mine->stands_aside && endpoint == kBegin && return_address == nullptr) {  // its part is over
    mine->stands_aside = false;
    teams::ComeBack(kOnNoStack);
    return;
  }
  if (!IsMeasured()) return;
  SettleLeft();
  switch (kind) {
    case kSyncBarrier:
    case kSyncImplicit:
    case kSyncExplicit:
    case kSyncImplicitWorkshare:
    case kSyncImplicitParallel:
      OnBarrier(kind, endpoint, return_address);  // it also tells where a thread's part of a region ends
      break;
    case kSyncImplementation:  // a barrier of libomp itself
      endpoint == kBegin ? order::EnterBarrier() : order::ExitBarrier();
      break;
    case kSyncTaskwait:
      if (!Measures(omp::kTaskGroup)) break;
      if (endpoint == kBegin) EnterTaskwait(ConstructKey(Construct::kTaskwait, Place(return_address)));
      if (endpoint == kEnd) order::EndedChildren(task);
      if (endpoint == kEnd) ExitInnermost(omp::Is<Construct::kTaskwait>);
      break;
    case kSyncTaskgroup:
      if (!Measures(omp::kTaskGroup)) break;
      if (endpoint == kBegin) EnterAt(Construct::kTaskgroup, return_address);
      if (endpoint == kEnd) order::EndedTasks();
      if (endpoint == kEnd) ExitInnermost(omp::Is<Construct::kTaskgroup>);
      break;
    default: break;
  }
}

// Only the wait at the end of a taskgroup matters here: its region is below the taskgroup's.
void OnSyncRegionWait(int kind, int endpoint, Data*, Data*, const void*) {
  if (kind != kSyncTaskgroup || !Measures(omp::kTaskGroup)) return;
  if (endpoint == kEnd) return ExitInnermost(omp::Is<Construct::kTaskwait>);
  if (omp::ConstructOf(Innermost()) != Construct::kTaskgroup) return;
  EnterTaskwait(ConstructKey(Construct::kTaskwait, event::AddressOf(Innermost())));
}

void OnWork(int kind, int endpoint, Data*, Data*, uint64_t, const void* return_address) {
  if (!IsMeasured()) return;
  const bool begins = endpoint == kBegin;
  if (kind == kWorkLoop || kind >= kWorkLoopStatic) {
    const Construct construct = mine->next_loop;
    if (begins) mine->next_loop = Construct::kLoopStatic;
    if (!Measures(omp::kLoopGroup)) return;
    if (!begins) return ExitInnermost(omp::IsLoop);
    const uint64_t place = mine->next_place != 0 ? mine->next_place : Place(return_address);
    return episode::Enter(ConstructKey(construct, place), kOnNoStack);
  }
  if (kind == kWorkSections && Measures(omp::kSectionsGroup)) {
    if (begins) return EnterWorkAt(Construct::kSections, return_address);
    return ExitInnermost(omp::Is<Construct::kSections>);
  }
  if (kind == kWorkSingle && Measures(omp::kSingleGroup)) {
    if (begins) return EnterWorkAt(Construct::kSingle, return_address);
    return ExitInnermost(omp::Is<Construct::kSingle>);
  }
  if (kind == kWorkTaskloop && Measures(omp::kTaskGroup)) {
    if (begins) return EnterAt(Construct::kTaskloop, mine->taskloop != nullptr ? mine->taskloop : return_address);
    return ExitInnermost(omp::Is<Construct::kTaskloop>);
  }
}

void OnMutexAcquire(int kind, unsigned, unsigned, uint64_t, const void* return_address) {
  if (kind == kMutexCritical && Measures(omp::kCriticalGroup)) EnterAt(Construct::kCritical, return_address);
  if (kind == kMutexAtomic && Measures(omp::kCriticalGroup)) EnterAt(Construct::kAtomic, return_address);
  if (kind == kMutexOrdered && Measures(omp::kOrderedGroup)) EnterAt(Construct::kOrdered, return_address);
}

bool IsConstruct(int kind) { return kind == kMutexCritical || kind == kMutexAtomic || kind == kMutexOrdered; }

void OnMutexAcquired(int kind, uint64_t lock, const void*) {
  if (IsConstruct(kind)) order::Acquired(lock);
  if (current == nullptr) return;
  const Key key = Innermost();
  const Construct construct = omp::ConstructOf(key);
  const bool is_ours = (kind == kMutexCritical && construct == Construct::kCritical) ||
                       (kind == kMutexAtomic && construct == Construct::kAtomic) ||
                       (kind == kMutexOrdered && construct == Construct::kOrdered);
  if (is_ours && teams::LogsRecords()) teams::LogAcquire(lock, false);
  if (kind == kMutexCritical && construct == Construct::kCritical) {
    episode::Enter(ConstructKey(Construct::kCriticalBlock, event::AddressOf(key)), kOnNoStack);
  }
  if (kind == kMutexOrdered && construct == Construct::kOrdered) {
    episode::Enter(ConstructKey(Construct::kOrderedBlock, event::AddressOf(key)), kOnNoStack);
  }
}

// libomp reports a release after it, so another thread may hold the lock already: the number of the acquisition orders
// them.
void OnMutexReleased(int kind, uint64_t lock, const void*) {
  if (IsConstruct(kind) && epilog::held_locks != 0 && current != nullptr) teams::LogRelease(lock);
  if (IsConstruct(kind)) order::Released(lock);
  if (kind == kMutexCritical && Measures(omp::kCriticalGroup)) {
    ExitInnermost(omp::Is<Construct::kCriticalBlock>);
    ExitInnermost(omp::Is<Construct::kCritical>);
  }
  if (kind == kMutexAtomic && Measures(omp::kCriticalGroup)) ExitInnermost(omp::Is<Construct::kAtomic>);
  if (kind == kMutexOrdered && Measures(omp::kOrderedGroup)) {
    ExitInnermost(omp::Is<Construct::kOrderedBlock>);
    ExitInnermost(omp::Is<Construct::kOrdered>);
  }
}

EPIK_COLD void LogCreate(Data* task) {
  const uint64_t number = teams::NewTask();
  task->value = WordOfTask(static_cast<uint32_t>(task->value), number);
  teams::LogTask(event::RecordKind::kTaskCreate, NumberOf(task));
}

void DescribeTask(Data* task, int flags, const void* return_address) {
  task->value = 0;
  if ((flags & kTaskExplicit) == 0 || (flags & kTaskWaits) != 0 || !Measures(omp::kTaskGroup)) return;
  const event::Location* location = current;
  if (location == nullptr) return;
  const Key innermost = Innermost();
  const bool in_taskloop = omp::ConstructOf(innermost) == Construct::kTaskloop;
  const uint64_t place = in_taskloop ? event::AddressOf(innermost) : Place(return_address);
  task->value = teams::NodeOfTask(location->node, ConstructKey(Construct::kTask, place));
  const bool logs = teams::LogsRecords();
  if (in_taskloop) {
    if (logs) LogCreate(task);
    return;
  }
  const Key key = ConstructKey(Construct::kTaskCreate, place);
  episode::Enter(key, kOnNoStack);
  if (current == nullptr) return;
  if (logs) LogCreate(task);
  episode::Exit(key, kOnNoStack);
}

void OnTaskCreate(Data* creator, const Frame*, Data* task, int flags, int, const void* return_address) {
  if ((flags & kTaskInitial) != 0) return;
  order::EndedTasks();  // one of the ended tasks had this word
  DescribeTask(task, flags, return_address);
  order::Create(creator, task);
}

// A part of an untied task is over, but the task is not: the thread goes on with the code that the task had
// interrupted.
EPIK_COLD void LeavePart(Data* prior, const Data* next) {
  omp::EndSingle(kOnNoStack);
  LeaveTask(prior, NumberOf(next));
  order::Interrupt(prior);
}

// Handles the event of a task whose body is over: the program fulfils it.
EPIK_COLD void Fulfil(const Data* task) {
  if (NodeOf(task) != 0 && teams::LogsRecords()) teams::LogTaskFulfilled(NumberOf(task));
}

// A task that was created while nothing was measured has no word; its time belongs to the region that it interrupts.
void OnTaskSchedule(Data* prior, int status, Data* next) {
  if (current == nullptr || status == kEarlyFulfill) return;
  if (status == kLateFulfill) return Fulfil(prior);
  SettleLeft();
  const bool ends = status == kComplete || status == kCancel || status == kDetach;
  const bool logs = teams::LogsRecords();
  if (ends) {
    const uint32_t node = NodeOf(prior);
    if (node == 0) return;
    omp::EndSingle(kOnNoStack);
    if (logs && status == kDetach) teams::LogTaskDetached(NumberOf(prior), NumberOf(prior));
    if (logs) teams::LogTask(event::RecordKind::kTaskEnd, NumberOf(prior));
    order::End(prior);
    EndTask(prior);
    if (logs && NodeOf(next) != 0) teams::LogTask(event::RecordKind::kTaskSwitch, NumberOf(next));
    return;
  }
  if (IsOpen(next) && NodeOf(prior) != 0) return LeavePart(prior, next);
  order::Interrupt(prior);
  order::Run(next);
  const uint32_t node = NodeOf(next);
  if (node == 0) return;
  teams::EnterElsewhere(node, teams::KeyOfTask(node), kOnNoStack);
  const bool begun = BeginTask(next);
  if (!logs) return;
  teams::LogTask(begun ? event::RecordKind::kTaskSwitch : event::RecordKind::kTaskBegin, NumberOf(next));
}

EPIK_COLD void LogNeeds(const Data* task, const Dependence* all, int count) {
  for (int i = 0; i < count; ++i) {
    const void* object = all[i].object;
    switch (all[i].kind) {
      case kDependIn: teams::LogTaskNeeds(NumberOf(task), object, teams::Needs::kIn); break;
      case kDependOut:
      case kDependInOut: teams::LogTaskNeeds(NumberOf(task), object, teams::Needs::kOut); break;
      case kDependMutexInOutSet: teams::LogTaskNeeds(NumberOf(task), object, teams::Needs::kMutexInOutSet); break;
      case kDependInOutSet: teams::LogTaskNeeds(NumberOf(task), object, teams::Needs::kInOutSet); break;
      default: break;  // of a DOACROSS loop
    }
  }
}

// Comes right after the creation of the task, on the same thread.
void OnDependences(Data* task, const Dependence* all, int count) {
  order::Depend(task);
  if (current != nullptr && NodeOf(task) != 0 && teams::LogsRecords()) LogNeeds(task, all, count);
}

int Initialize(Lookup lookup, int, Data*) {
  const auto set = reinterpret_cast<SetCallback>(lookup("ompt_set_callback"));
  if (set == nullptr) return 0;
  groups = episode::adapter_options.omp_groups;
  omp::TurnGompOff();
  set(kParallelBegin, reinterpret_cast<AnyFunction>(OnParallelBegin));
  set(kParallelEnd, reinterpret_cast<AnyFunction>(OnParallelEnd));
  set(kImplicitTask, reinterpret_cast<AnyFunction>(OnImplicitTask));
  set(kSyncRegion, reinterpret_cast<AnyFunction>(OnSyncRegion));
  set(kSyncRegionWait, reinterpret_cast<AnyFunction>(OnSyncRegionWait));
  set(kWork, reinterpret_cast<AnyFunction>(OnWork));
  set(kMutexAcquire, reinterpret_cast<AnyFunction>(OnMutexAcquire));
  set(kMutexAcquired, reinterpret_cast<AnyFunction>(OnMutexAcquired));
  set(kMutexReleased, reinterpret_cast<AnyFunction>(OnMutexReleased));
  set(kTaskCreate, reinterpret_cast<AnyFunction>(OnTaskCreate));
  set(kTaskSchedule, reinterpret_cast<AnyFunction>(OnTaskSchedule));
  set(kDependences, reinterpret_cast<AnyFunction>(OnDependences));
  return 1;
}

void Finalize(Data*) {}

ToolResult tool = {Initialize, Finalize, {0}};

// Takes libomp's number of the schedule; the bits above it tell whether it is monotonic.
Construct LoopOf(int schedule) {
  constexpr int kOrderedFrom = 64;
  const int kind = schedule & 0x1fffffff;
  if (kind >= kOrderedFrom && kind < 2 * kOrderedFrom) return Construct::kLoopOrdered;
  switch (kind) {
    case 35: return Construct::kLoopDynamic;
    case 36:
    case 39:
    case 42:
    case 43: return Construct::kLoopGuided;
    case 37: return Construct::kLoopRuntime;
    default: return Construct::kLoopStatic;
  }
}

template <class Function, class Number, class Step>
EPIK_HOT void InitDispatch(Function* real, uint64_t caller, void* place, int thread, int schedule, Number low,
                           Number high, Step step, Step chunk) {
  if (mine->next_loop != Construct::kLoopDoacross) mine->next_loop = LoopOf(schedule);
  mine->next_place = caller;
  if (real != nullptr) real(place, thread, schedule, low, high, step, chunk);
  mine->next_place = 0;
  mine->next_loop = Construct::kLoopStatic;
}

}  // namespace

}  // namespace epik::ompt

extern "C" {

// The OpenMP runtime calls this when it starts. A tool in a library behind us, or one that the user names, has
// precedence. Null: the runtime calls no tool.
EPIK_EXPORT epik::ompt::ToolResult* ompt_start_tool(unsigned version, const char* runtime) {
  using Start = epik::ompt::ToolResult*(unsigned, const char*);
  const auto next = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "ompt_start_tool"));
  if (next != nullptr) {
    if (epik::ompt::ToolResult* other = next(version, runtime)) return other;
  }
  const char* named = getenv("OMP_TOOL_LIBRARIES");
  if (named != nullptr && named[0] != '\0') return nullptr;
  return epik::episode::EnsureStarted() ? &epik::ompt::tool : nullptr;
}

#define DISPATCH_INIT(suffix, number, step_type)                                                                  \
  EPIK_EXPORT void __kmpc_dispatch_init_##suffix(void* place, int thread, int schedule, number low, number high,  \
                                                 step_type step, step_type chunk) {                               \
    epik::ompt::InitDispatch(EPIK_REAL(__kmpc_dispatch_init_##suffix), EPIK_CALLER, place, thread, schedule, low, \
                             high, step, chunk);                                                                  \
  }
DISPATCH_INIT(4, int32_t, int32_t)
DISPATCH_INIT(4u, uint32_t, int32_t)
DISPATCH_INIT(8, int64_t, int64_t)
DISPATCH_INIT(8u, uint64_t, int64_t)

#ifdef __SANITIZE_THREAD__
// libomp reuses the memory of ended tasks, and the program writes to it before libomp reports the new task.
// ThreadSanitizer would take that for a race.
EPIK_EXPORT void* __kmpc_omp_task_alloc(void* place, int thread, int flags, size_t size, size_t shared, void* body) {
  epik::ompt::order::EndedTasks();
  return EPIK_REAL(__kmpc_omp_task_alloc)(place, thread, flags, size, shared, body);
}
#endif

EPIK_EXPORT void __kmpc_barrier(void* place, int thread) {
  auto* real = EPIK_REAL(__kmpc_barrier);
  if (real == nullptr) return;
  epik::ompt::BarrierCall call{.caller = __builtin_return_address(0), .outer = epik::ompt::mine->barrier_call};
  epik::ompt::mine->barrier_call = &call;
  real(place, thread);
  epik::ompt::mine->barrier_call = call.outer;
}

EPIK_EXPORT void __kmpc_taskloop(void* place, int thread, void* task, int condition, uint64_t* low, uint64_t* high,
                                 int64_t step, int nogroup, int schedule, uint64_t grain, void* copy) {
  auto* real = EPIK_REAL(__kmpc_taskloop);
  if (real == nullptr) return;
  const void* outer = std::exchange(epik::ompt::mine->taskloop, __builtin_return_address(0));
  real(place, thread, task, condition, low, high, step, nogroup, schedule, grain, copy);
  epik::ompt::mine->taskloop = outer;
}

EPIK_EXPORT void __kmpc_taskloop_5(void* place, int thread, void* task, int condition, uint64_t* low, uint64_t* high,
                                   int64_t step, int nogroup, int schedule, uint64_t grain, int modifier, void* copy) {
  auto* real = EPIK_REAL(__kmpc_taskloop_5);
  if (real == nullptr) return;
  const void* outer = std::exchange(epik::ompt::mine->taskloop, __builtin_return_address(0));
  real(place, thread, task, condition, low, high, step, nogroup, schedule, grain, modifier, copy);
  epik::ompt::mine->taskloop = outer;
}

EPIK_EXPORT void __kmpc_doacross_init(void* place, int thread, int dimensions, const void* bounds) {
  auto* real = EPIK_REAL(__kmpc_doacross_init);
  epik::ompt::mine->next_loop = epik::event::Construct::kLoopDoacross;
  epik::ompt::mine->doacross = {EPIK_CALLER, static_cast<unsigned>(dimensions)};
  if (real != nullptr) real(place, thread, dimensions, bounds);
}

EPIK_EXPORT void __kmpc_doacross_post(void* place, int thread, const int64_t* iteration) {
  auto* real = EPIK_REAL(__kmpc_doacross_post);
  if (real == nullptr) return;
  if (epik::ompt::Measures(epik::omp::kOrderedGroup) && epik::teams::LogsRecords()) {
    const epik::omp::DoacrossLoop& loop = epik::ompt::mine->doacross;
    epik::teams::LogIterationDone(loop.place, epik::omp::IterationOf(iteration, loop.dimensions));
  }
  real(place, thread, iteration);
}

EPIK_EXPORT void __kmpc_doacross_wait(void* place, int thread, const int64_t* iteration) {
  auto* real = EPIK_REAL(__kmpc_doacross_wait);
  if (real == nullptr) return;
  if (!epik::ompt::Measures(epik::omp::kOrderedGroup)) return real(place, thread, iteration);
  const epik::event::Key key = epik::event::ConstructKey(epik::event::Construct::kDoacrossWait, EPIK_CALLER);
  epik::episode::Enter(key, EPIK_FRAME);
  real(place, thread, iteration);
  if (epik::teams::LogsRecords()) {
    const epik::omp::DoacrossLoop& loop = epik::ompt::mine->doacross;
    epik::teams::LogIterationNeeded(loop.place, epik::omp::IterationOf(iteration, loop.dimensions));
  }
  epik::episode::Exit(key, EPIK_FRAME);
}
}
