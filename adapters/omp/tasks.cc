// SPDX-License-Identifier: BSD-3-Clause
// Tasks of libgomp. A task runs when and where libgomp likes, and is shown below the place that created it.
//
// libgomp copies what a task needs to know as a block of bytes; ours stands before it in the same block. The first
// words are where libgomp itself writes: the event of a detached task, the bounds of a part of a taskloop.
#include <alloca.h>

#include <cstring>

#include "adapters/omp/gomp.h"
#include "runtime/episode/metrics.h"
#include "runtime/episode/team_hot.h"

using epik::event::Construct;
using epik::event::ConstructKey;
using epik::event::Key;

namespace {

using Body = void (*)(void*);
using Copy = void (*)(void*, void*);
using Ull = unsigned long long;

constexpr unsigned kDetachFlag = 1 << 13;
constexpr unsigned kReductionFlag = 1 << 12;

struct Task {
  uint64_t words[3];  // libgomp's
  Body body;
  Key key;
  uint32_t node;          // its call path
  uint32_t offset;        // of what it needs to know
  uint32_t shared_words;  // of those above, how many belong into it
};

struct Source : Task {
  Copy copy;
  void* data;
};

void* DataOf(Task* task) { return reinterpret_cast<char*>(task) + task->offset; }

void RunTask(void* block) {
  auto* task = static_cast<Task*>(block);
  void* data = DataOf(task);
  std::memcpy(data, task->words, size_t{8} * task->shared_words);
  const Key key = task->key;
  const uint32_t node = task->node;
  const Body body = task->body;
  epik::episode::EnterElsewhere(node, key, EPIK_FRAME);
  body(data);
  epik::omp::EndSingle(EPIK_FRAME);
  epik::episode::ExitElsewhere(node, key, EPIK_FRAME);
}

void CopyTask(void* to, void* from) {
  auto* source = static_cast<Source*>(from);
  std::memcpy(to, static_cast<Task*>(source), sizeof(Task));
  std::memcpy(source->data, source->words, size_t{8} * source->shared_words);
  source->copy(reinterpret_cast<char*>(to) + source->offset, source->data);
}

struct Block {
  long size, align, offset;
};

Block BlockFor(long size, long align) {
  if (align < static_cast<long>(alignof(Task))) align = alignof(Task);
  const long offset = (static_cast<long>(sizeof(Task)) + align - 1) & -align;
  return {offset + size, align, offset};
}

// The description of a task that is created now and here, below the region `below`.
void Describe(Task* task, Body body, long offset, uint32_t below, unsigned shared_words, void* data) {
  task->body = body;
  task->key = ConstructKey(Construct::kTask, reinterpret_cast<uint64_t>(body));
  task->node = epik::episode::ChildFor(below, task->key);
  task->offset = static_cast<uint32_t>(offset);
  task->shared_words = shared_words;
  std::memset(task->words, 0, sizeof task->words);
  if (shared_words != 0 && data != nullptr) std::memcpy(task->words, data, size_t{8} * shared_words);
}

// Calls create(function, data, copy, size, align) with ours in place of the program's.
template <class Create>
EPIK_HOT void Wrap(Create create, Body body, void* data, Copy copy, long size, long align, uint32_t below,
                   unsigned shared_words) {
  const Block block = BlockFor(size, align);
  if (copy != nullptr) {
    Source source;
    Describe(&source, body, block.offset, below, shared_words, data);
    source.copy = copy;
    source.data = data;
    return create(RunTask, &source, CopyTask, block.size, block.align);
  }
  // The copy that libgomp makes of it has to be one of bytes: a cancelled taskgroup drops only such tasks.
  char* memory = static_cast<char*>(alloca(static_cast<size_t>(block.size + block.align)));
  const auto begin = reinterpret_cast<uintptr_t>(memory) + static_cast<uintptr_t>(block.align) - 1;
  auto* task = reinterpret_cast<Task*>(begin & -static_cast<uintptr_t>(block.align));
  Describe(task, body, block.offset, below, shared_words, data);
  if (size != 0) std::memcpy(DataOf(task), data, static_cast<size_t>(size));
  create(RunTask, task, nullptr, block.size, block.align);
}

bool IsCreated() { return epik::episode::current != nullptr && epik::omp::IsOn(epik::omp::kTaskGroup); }

template <class Function, class... Arguments>
EPIK_HOT void Taskwait(Function* real, Construct construct, uint64_t caller, const void* stack,
                       Arguments... arguments) {
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) return real(arguments...);
  epik::omp::Wait(real, ConstructKey(construct, caller), stack, arguments...);
}

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
  const auto create = [&](Body run, void* block, Copy copy_block, long block_size, long block_align) {
    real(run, block, copy_block, block_size, block_align, flags, tasks, priority, start, end, step);
  };
  const bool created = IsCreated();
  if (created) {
    Wrap(create, body, data, copy, size, align, epik::episode::current->node, (flags & kReductionFlag) != 0 ? 3 : 2);
  } else {
    create(body, data, copy, size, align);
  }
  epik::episode::Exit(key, stack);
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
  const uint32_t below = epik::episode::current->node;
  const Key key = ConstructKey(Construct::kTaskCreate, reinterpret_cast<uint64_t>(body));
  epik::episode::Enter(key, EPIK_FRAME);
  if (!IsCreated()) return real(body, data, copy, size, align, deferred, flags, depend, priority, detach);
  epik::episode::AddInteger(epik::episode::current, epik::event::kTasksCreatedMetric, 0);
  const auto create = [&](Body run, void* block, Copy copy_block, long block_size, long block_align) {
    real(run, block, copy_block, block_size, block_align, deferred, flags, depend, priority, detach);
  };
  const unsigned shared_words = (flags & kDetachFlag) != 0 && size >= 8 ? 1 : 0;
  Wrap(create, body, data, copy, size, align, below, shared_words);
  epik::episode::Exit(key, EPIK_FRAME);
}

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
  Taskwait(EPIK_REAL(GOMP_taskwait_depend), Construct::kTaskwait, EPIK_CALLER, EPIK_FRAME, depend);
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

// Waits for the tasks of the group: below it, because what was done in between is not waiting.
EPIK_EXPORT void GOMP_taskgroup_end(void) {
  auto* real = EPIK_REAL(GOMP_taskgroup_end);
  if (real == nullptr) return;
  if (!epik::omp::IsOn(epik::omp::kTaskGroup)) return real();
  const Key wait = ConstructKey(Construct::kTaskwait, epik::event::AddressOf(epik::omp::Innermost()));
  epik::omp::Wait(real, wait, EPIK_FRAME);
  epik::omp::ExitWork(epik::omp::Is<Construct::kTaskgroup>, EPIK_FRAME);
}
}
