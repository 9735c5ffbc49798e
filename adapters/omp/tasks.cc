// SPDX-License-Identifier: BSD-3-Clause
// Tasks of libgomp. A task runs when and where libgomp likes; the report shows it below the place that created it.
//
// libgomp copies the data of a task as a block of bytes. Our own data comes before it in the same block. libgomp itself
// writes to the first words: the event of a detached task, the bounds of a part of a taskloop.
#include <alloca.h>

#include <cstring>
#include <iterator>

#include "adapters/omp/gomp.h"
#include "runtime/base/thread_memory.h"
#include "runtime/teams/task_hot.h"

using epik::event::Construct;
using epik::event::ConstructKey;
using epik::event::Key;
using epik::event::RecordKind;

extern "C" void GOMP_taskgroup_start(void);
extern "C" void GOMP_taskgroup_end(void);
extern "C" void GOMP_taskwait_depend(void**);
extern "C" void omp_fulfill_event(uintptr_t);
extern "C" void omp_fulfill_event_(intptr_t);

namespace {

using epik::teams::LogsRecords;
using epik::teams::LogTask;

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);
using Ull = unsigned long long;

constexpr unsigned kDetachFlag = 1 << 13;
constexpr unsigned kReductionFlag = 1 << 12;
constexpr unsigned kNoGroupFlag = 1 << 11;
constexpr unsigned kDependFlag = 1 << 3;

struct Task {
  uint64_t words[3];  // libgomp's
  Body body;
  Key key;
  uint64_t number;  // in the trace; 0: it has no number yet
  uint32_t node;    // its call path
  uint32_t offset;  // of the program's data
  [[no_unique_address]] epik::omp::order::Origin origin;
  uint32_t shared_words;  // number of the words above that libgomp writes
};

struct Source : Task {
  Copy copy;  // null: the data are copied as bytes
  void* data;
  size_t size;
};

// The data is usually a few words, not worth a call of memcpy.
EPIK_HOT void CopyBytes(void* to, const void* from, size_t bytes) {
  constexpr size_t kFew = 128;
  if (EPIK_UNLIKELY(bytes > kFew)) {
    std::memcpy(to, from, bytes);
    return;
  }
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  for (; bytes >= 8; bytes -= 8, out += 8, in += 8) {
    __builtin_memcpy(out, in, 8);
    EPIK_ORDER();  // keeps compilers from making a call of the loop
  }
  for (; bytes != 0; --bytes) {
    *out++ = *in++;
    EPIK_ORDER();
  }
}

void* DataOf(Task* task) { return reinterpret_cast<char*>(task) + task->offset; }

// The trace's number of the task that this thread executes.
EPIK_PER_THREAD epik::base::PerThread<uint64_t> at_work;

EPIK_COLD void RunLogged(const Task task, void* data, const void* stack) {
  const uint64_t interrupted = *at_work;
  epik::teams::EnterElsewhere(task.node, task.key, stack);
  const uint64_t number = task.number != 0 ? task.number : epik::teams::NewTask();  // see NumbersParts
  *at_work = number;
  LogTask(RecordKind::kTaskBegin, number);
  // The one word of a task that is not part of a taskloop is the event of its clause `detach`.
  if (task.shared_words == 1) epik::teams::LogTaskDetached(number, task.words[0]);
  task.body(data);
  epik::omp::EndSingle(stack);
  LogTask(RecordKind::kTaskEnd, number);
  epik::teams::ExitElsewhere(task.node, task.key, stack);
  *at_work = interrupted;
  LogTask(RecordKind::kTaskSwitch, interrupted);
}

void RunTask(void* block) {
  auto* task = static_cast<Task*>(block);
  [[maybe_unused]] const epik::omp::order::Run ordered(task->origin, block);
  void* data = DataOf(task);
  CopyBytes(data, task->words, size_t{8} * task->shared_words);
  const Key key = task->key;
  const uint32_t node = task->node;
  const Body body = task->body;
  if (EPIK_UNLIKELY(LogsRecords())) return RunLogged(*task, data, EPIK_FRAME);
  epik::teams::EnterElsewhere(node, key, EPIK_FRAME);
  body(data);
  epik::omp::EndSingle(EPIK_FRAME);
  epik::teams::ExitElsewhere(node, key, EPIK_FRAME);
}

void CopyBlock(void* to, void* from) {
  auto* source = static_cast<Source*>(from);
  void* data = static_cast<char*>(to) + source->offset;
  std::memcpy(to, static_cast<Task*>(source), sizeof(Task));
  std::memcpy(source->data, source->words, size_t{8} * source->shared_words);
  if (source->copy != nullptr) {
    source->copy(data, source->data);
  } else {
    std::memcpy(data, source->data, source->size);
  }
}

void CopyTask(void* to, void* from) {
  CopyBlock(to, from);
  epik::omp::order::Copied();
}

EPIK_COLD uint64_t LogNew() {
  const uint64_t task = epik::teams::NewTask();
  LogTask(RecordKind::kTaskCreate, task);
  return task;
}

// A part of a taskloop, when libgomp makes it.
void CopyPart(void* to, void* from) {
  CopyBlock(to, from);
  static_cast<Task*>(to)->number = LogNew();
  epik::omp::order::Copied();
}

extern "C" int omp_get_cancellation(void);

// Reads the array that gcc makes of a clause `depend`: the number of items of each kind, then the addresses. There are
// only two kinds before gcc 9, and also later if two suffice.
EPIK_COLD void LogNeeds(uint64_t task, void* const* depend) {
  using epik::teams::LogTaskNeeds;
  using epik::teams::Needs;
  const auto number = [depend](size_t i) { return reinterpret_cast<size_t>(depend[i]); };
  if (const size_t all = number(0); all != 0) {
    for (size_t i = 0; i < all; ++i) LogTaskNeeds(task, depend[2 + i], i < number(1) ? Needs::kOut : Needs::kIn);
    return;
  }
  const size_t out = number(2), mutex = out + number(3), in = mutex + number(4);
  for (size_t i = 0; i < number(1); ++i) {
    void* const item = depend[5 + i];
    if (i < in) {
      LogTaskNeeds(task, item, i < out ? Needs::kOut : i < mutex ? Needs::kMutexInOutSet : Needs::kIn);
      continue;
    }
    void* const* object = static_cast<void* const*>(item);  // an omp_depend_t: an address and gcc's number of the kind
    constexpr Needs kKinds[] = {Needs::kIn, Needs::kOut, Needs::kOut, Needs::kMutexInOutSet, Needs::kInOutSet};
    const size_t kind = reinterpret_cast<size_t>(object[1]);
    if (kind >= 1 && kind <= std::size(kKinds)) LogTaskNeeds(task, object[0], kKinds[kind - 1]);
  }
}

EPIK_COLD uint64_t LogNewThatNeeds(unsigned flags, void* const* depend) {
  const uint64_t task = LogNew();
  if ((flags & kDependFlag) != 0 && depend != nullptr) LogNeeds(task, depend);
  return task;
}

// Waits for tasks as an empty task with these dependences would. The trace shows such a task.
EPIK_COLD void WaitForNeeds(void** depend) {
  auto* real = EPIK_REAL(GOMP_taskwait_depend);
  const uint64_t task = LogNewThatNeeds(kDependFlag, depend);
  real(depend);
  LogTask(RecordKind::kTaskBegin, task);
  LogTask(RecordKind::kTaskEnd, task);
  LogTask(RecordKind::kTaskSwitch, *at_work);
}

// libgomp makes all parts of a taskloop from one description, and we see a part being made only when libgomp asks us to
// copy it. But libgomp does not drop tasks with a copy function when their taskgroup is cancelled. If that can happen,
// we copy nothing: the thread that runs a part gives it its number, and the trace lacks its creation.
EPIK_COLD bool NumbersParts() {
  auto* cancellation = EPIK_REAL(omp_get_cancellation);
  return cancellation != nullptr && cancellation() == 0;
}

struct Block {
  long size, align, offset;
};

struct Creation {
  uint32_t below;         // call path
  unsigned shared_words;  // that libgomp writes to
  uint64_t number;        // in the trace
  bool depends;           // on other tasks
  Copy copy;              // our copy function, if a copy of bytes does not suffice; null: the program's
};

Block BlockFor(long size, long align) {
  if (align < static_cast<long>(alignof(Task))) align = alignof(Task);
  const long offset = (static_cast<long>(sizeof(Task)) + align - 1) & -align;
  return {offset + size, align, offset};
}

// Describes a task that is created here and now.
EPIK_HOT void Describe(Task* task, Body body, long offset, const Creation& creation, void* data) {
  const unsigned shared_words = creation.shared_words;
  task->body = body;
  task->number = creation.number;
  task->node =
      epik::teams::NodeOfTask(creation.below, ConstructKey(Construct::kTask, reinterpret_cast<uint64_t>(body)));
  task->key = epik::teams::KeyOfTask(task->node);
  task->offset = static_cast<uint32_t>(offset);
  task->shared_words = shared_words;
  task->words[0] = task->words[1] = task->words[2] = 0;
  if (data != nullptr) {
    for (unsigned i = 0; i < shared_words && i < std::size(task->words); ++i) {
      __builtin_memcpy(&task->words[i], static_cast<const char*>(data) + 8 * i, 8);
    }
  }
  task->origin = epik::omp::order::Create(creation.depends);
}

// Calls create(function, data, copy, size, align) with ours in place of the program's.
template <class Create>
EPIK_HOT void Wrap(Create create, Body body, void* data, Copy copy, long size, long align, const Creation& creation) {
  const Block block = BlockFor(size, align);
  if (copy != nullptr || EPIK_UNLIKELY(creation.copy != nullptr)) {
    Source source;
    Describe(&source, body, block.offset, creation, data);
    source.copy = copy;
    source.data = data;
    source.size = static_cast<size_t>(size);
    return create(RunTask, &source, creation.copy != nullptr ? creation.copy : CopyTask, block.size, block.align);
  }
  // libgomp must copy the block as bytes: a cancelled taskgroup drops only such tasks.
  char* memory = static_cast<char*>(alloca(static_cast<size_t>(block.size + block.align)));
  const auto begin = reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(block.align) - 1;
  auto* task = reinterpret_cast<Task*>(begin & -static_cast<uintptr_t>(block.align));
  Describe(task, body, block.offset, creation, data);
  CopyBytes(DataOf(task), data, static_cast<size_t>(size));
  create(RunTask, task, nullptr, block.size, block.align);
}

template <class Function, class... Arguments>
EPIK_HOT void Taskwait(Function* real, Construct construct, uint64_t caller, const void* stack,
                       Arguments... arguments) {
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) return real(arguments...);
  epik::omp::Wait<epik::omp::order::Children>(real, ConstructKey(construct, caller), stack, arguments...);
}

// The group in which a taskloop makes its parts. libgomp would make the same group itself, but then we could not tell
// where the loop waits. libgomp still makes groups in which tasks reduce.
struct Parts {
  explicit Parts(unsigned flags) {
    if ((flags & (kNoGroupFlag | kReductionFlag)) != 0) return;
    start = EPIK_REAL(GOMP_taskgroup_start);
    end = EPIK_REAL(GOMP_taskgroup_end);
  }
  bool AreOurs() const { return start != nullptr && end != nullptr; }

  decltype(GOMP_taskgroup_start)* start = nullptr;
  decltype(GOMP_taskgroup_end)* end = nullptr;
};

template <class Function, class Number>
EPIK_HOT void Taskloop(Function* real, uint64_t caller, const void* stack, Body body, void* data, Copy copy, long size,
                       long align, unsigned flags, unsigned long tasks, int priority, Number start, Number end,
                       Number step) {
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) {
    return real(body, data, copy, size, align, flags, tasks, priority, start, end, step);
  }
  const Key key = ConstructKey(Construct::kTaskloop, caller);
  epik::episode::Enter(key, stack);
  const Parts parts(flags);
  const unsigned with_group = parts.AreOurs() ? flags | kNoGroupFlag : flags;
  const auto create = [&](Body run, void* block, Copy copy_block, long block_size, long block_align) {
    if (parts.AreOurs()) parts.start();
    real(run, block, copy_block, block_size, block_align, with_group, tasks, priority, start, end, step);
    if ((with_group & kNoGroupFlag) == 0) epik::omp::order::Group();
    if (!parts.AreOurs()) return;
    epik::omp::Wait<epik::omp::order::Group>(parts.end, ConstructKey(Construct::kTaskwait, caller), stack);
  };
  if (const epik::event::Location* location = epik::episode::current) {
    const Copy of_parts = EPIK_UNLIKELY(LogsRecords()) && NumbersParts() ? CopyPart : nullptr;
    const Creation creation = {location->node, (flags & kReductionFlag) != 0 ? 3u : 2u, 0, false, of_parts};
    Wrap(create, body, data, copy, size, align, creation);
  } else {
    create(body, data, copy, size, align);
  }
  epik::episode::Exit(key, stack);
}

// Makes no region, because this never waits. Threads that wait for the task go on after it.
template <class Function, class Event>
void Fulfil(Function* real, Event event) {
  if (real == nullptr) return;
  const bool logs = epik::omp::IsOn(epik::omp::kTaskGroup) && LogsRecords();
  if (logs) epik::teams::LogTaskFulfilled(static_cast<uint64_t>(event));
  real(event);
}

}  // namespace

extern "C" {

EPIK_EXPORT void GOMP_task(Body body, void* data, Copy copy, long size, long align, bool deferred, unsigned flags,
                           void** depend, int priority, void* detach) {
  auto* real = EPIK_REAL(GOMP_task);
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) {
    return real(body, data, copy, size, align, deferred, flags, depend, priority, detach);
  }
  const epik::event::Location* location = epik::episode::current;
  const uint32_t below = location == nullptr ? 0 : location->node;
  const Key key = ConstructKey(Construct::kTaskCreate, reinterpret_cast<uint64_t>(body));
  epik::episode::Enter(key, EPIK_FRAME);
  if (EPIK_UNLIKELY(epik::episode::current == nullptr)) {
    return real(body, data, copy, size, align, deferred, flags, depend, priority, detach);
  }
  const auto create = [&](Body run, void* block, Copy copy_block, long block_size, long block_align) {
    real(run, block, copy_block, block_size, block_align, deferred, flags, depend, priority, detach);
  };
  // The creator of a task that is not deferred waits for the tasks that it needs, and then runs it.
  const Key wait = ConstructKey(Construct::kTaskwait, EPIK_CALLER);
  const bool waits = !deferred && (flags & kDependFlag) != 0;
  if (EPIK_UNLIKELY(waits)) {
    epik::episode::Enter(wait, EPIK_FRAME);
    if (LogsRecords()) epik::teams::LogWait(wait);
  }
  const unsigned shared_words = (flags & kDetachFlag) != 0 && size >= 8 ? 1 : 0;
  const uint64_t number = EPIK_UNLIKELY(LogsRecords()) ? LogNewThatNeeds(flags, depend) : 0;
  Wrap(create, body, data, copy, size, align, {below, shared_words, number, depend != nullptr, nullptr});
  if (EPIK_UNLIKELY(waits)) epik::episode::Exit(wait, EPIK_FRAME);
  epik::episode::Exit(key, EPIK_FRAME);
}

EPIK_EXPORT void omp_fulfill_event(uintptr_t event) { Fulfil(EPIK_REAL(omp_fulfill_event), event); }
EPIK_EXPORT void omp_fulfill_event_(intptr_t event) { Fulfil(EPIK_REAL(omp_fulfill_event_), event); }

EPIK_EXPORT void GOMP_taskloop(Body body, void* data, Copy copy, long size, long align, unsigned flags,
                               unsigned long tasks, int priority, long start, long end, long step) {
  Taskloop(EPIK_REAL(GOMP_taskloop), EPIK_CALLER, EPIK_FRAME, body, data, copy, size, align, flags, tasks, priority,
           start, end, step);
}

EPIK_EXPORT void GOMP_taskloop_ull(Body body, void* data, Copy copy, long size, long align, unsigned flags,
                                   unsigned long tasks, int priority, Ull start, Ull end, Ull step) {
  Taskloop(EPIK_REAL(GOMP_taskloop_ull), EPIK_CALLER, EPIK_FRAME, body, data, copy, size, align, flags, tasks, priority,
           start, end, step);
}

EPIK_EXPORT void GOMP_taskwait(void) {
  Taskwait(EPIK_REAL(GOMP_taskwait), Construct::kTaskwait, EPIK_CALLER, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_taskwait_depend(void** depend) {
  auto* real = EPIK_REAL(GOMP_taskwait_depend);
  if (real != nullptr && EPIK_UNLIKELY(LogsRecords())) real = WaitForNeeds;
  Taskwait(real, Construct::kTaskwait, EPIK_CALLER, EPIK_FRAME, depend);
}

EPIK_EXPORT void GOMP_taskyield(void) {
  Taskwait(EPIK_REAL(GOMP_taskyield), Construct::kTaskyield, EPIK_CALLER, EPIK_FRAME);
}

EPIK_EXPORT void GOMP_taskgroup_start(void) {
  auto* real = EPIK_REAL(GOMP_taskgroup_start);
  if (real != nullptr) real();
  if (epik::omp::IsOn(epik::omp::kTaskGroup)) {
    epik::episode::Enter(ConstructKey(Construct::kTaskgroup, EPIK_CALLER), EPIK_FRAME);
  }
}

// Waits for the tasks of the group. The waiting is a region below the taskgroup, because the code in the group does not
// wait.
EPIK_EXPORT void GOMP_taskgroup_end(void) {
  auto* real = EPIK_REAL(GOMP_taskgroup_end);
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) return real();
  const Key wait = ConstructKey(Construct::kTaskwait, epik::event::AddressOf(epik::omp::Innermost()));
  epik::omp::Wait<epik::omp::order::Group>(real, wait, EPIK_FRAME);
  epik::omp::ExitWork(epik::omp::Is<Construct::kTaskgroup>, EPIK_FRAME);
}
}
