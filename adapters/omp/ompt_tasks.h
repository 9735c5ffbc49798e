// SPDX-License-Identifier: BSD-3-Clause
// The word that libomp keeps for each task, and the state that we write into it.
//
// A tied task runs from its beginning to its end on top of the call path that it interrupts, and its word has room for
// its whole state. An untied task may be suspended and go on later, on any thread: then its time is the sum of its
// parts, and the word leads to a place (Parts) where they are added up.
#ifndef EPIK_ADAPTERS_OMP_OMPT_TASKS_H_
#define EPIK_ADAPTERS_OMP_OMPT_TASKS_H_

#include <cstdint>

#include "adapters/omp/ompt_interface.h"
#include "runtime/base/compiler.h"
#include "runtime/base/thread_memory.h"
#include "runtime/event/trace.h"
#include "runtime/teams/task_hot.h"

namespace epik::ompt {

// From the lowest bit: its call path, whether it is open on some thread, and its number in the trace.
inline constexpr unsigned kNodeBits = event::kCodeBits;
inline constexpr uint64_t kOpen = uint64_t{1} << kNodeBits;
inline constexpr unsigned kLocationShift = kNodeBits + 1;
inline constexpr unsigned kLocationBits = 12;
inline constexpr unsigned kCountShift = kLocationShift + kLocationBits;
// Stands for the work of a thread that no task interrupts. It is always open and has no call path.
inline constexpr uint64_t kNoTask = kOpen;

EPIK_HOT uint64_t WordOfTask(uint32_t node, uint64_t number) {
  const uint64_t location = number >> teams::kTaskShift & ((1 << kLocationBits) - 1);
  return node | location << kLocationShift | number << kCountShift;
}

// An untied task that has been suspended at least once. Its word has no call path, and has the index of this place,
// plus one, instead of the task's number.
struct Parts {
  uint32_t node;
  uint32_t next_free;
  uint64_t number;
  uint64_t ticks;  // of the parts that are over
};
EPIK_COLD Parts* PartsOf(const Data* task);
EPIK_HOT bool HasParts(const Data* task) {
  const uint64_t word = task->value;
  return EPIK_UNLIKELY((word & (kOpen - 1)) == 0 && word >> kLocationShift != 0);
}

// 0: the task is not measured, or there is no task.
EPIK_HOT uint32_t NodeOf(const Data* task) {
  if (task == nullptr) return 0;
  if (HasParts(task)) return PartsOf(task)->node;
  return static_cast<uint32_t>(task->value & (kOpen - 1));
}
EPIK_HOT bool IsOpen(const Data* task) { return task != nullptr && (task->value & kOpen) != 0; }
uint64_t NumberOf(const Data* task);

// The task's frame has been opened on this thread. Returns whether the task had an earlier part.
EPIK_HOT bool BeginTask(Data* task) {
  task->value |= kOpen;
  return HasParts(task);
}
// Suspends the task: it will go on later, on this thread or on another. The thread is at task number `next` again.
EPIK_COLD void LeaveTask(Data* task, uint64_t next);
EPIK_COLD void EndTaskOfParts(Data* task);
EPIK_HOT void EndTask(Data* task) {
  if (HasParts(task)) return EndTaskOfParts(task);
  const uint32_t node = NodeOf(task);
  teams::ExitElsewhere(node, teams::KeyOfTask(node), teams::kOnNoStack);
}

// A task is suspended within a function of the program that has not returned yet. It has returned when libomp's next
// callback comes.
struct LeftOpen {
  event::Key key;  // 0: no key
  uint64_t next;   // number of the task that the thread then executes
};
extern base::PerThread<LeftOpen> left_open;
EPIK_COLD void CloseLeft();
EPIK_HOT void SettleLeft() {
  if (EPIK_UNLIKELY(left_open->key != 0)) CloseLeft();
}

}  // namespace epik::ompt

#endif  // EPIK_ADAPTERS_OMP_OMPT_TASKS_H_
