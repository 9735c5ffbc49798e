// SPDX-License-Identifier: BSD-3-Clause
// Tells ThreadSanitizer the order of libomp, as ordering.h does for libgomp: at OMPT's callbacks, which come at the
// same moments. Without the sanitizer, all functions are empty.
#ifndef EPIK_ADAPTERS_OMP_OMPT_ORDERING_H_
#define EPIK_ADAPTERS_OMP_OMPT_ORDERING_H_

#include <cstdint>

#include "adapters/omp/ordering.h"

#ifdef __SANITIZE_THREAD__

#include <sched.h>

#include <atomic>

namespace epik::ompt::order {

using omp::order::After;
using omp::order::barriers;
using omp::order::Before;
using omp::order::team;

struct Team : omp::order::Team {
  omp::order::Team* outer;
  unsigned outer_barriers;
};

inline void Fork(Team* mine) {
  Before(mine);
  mine->outer = team;
  mine->outer_barriers = barriers;
  team = mine;
  barriers = 0;
}
inline void BeginPart(Team* mine) {
  After(mine);
  team = mine;
  barriers = 0;
}
inline void EndPart(const Team* mine) { Before(&mine->end); }
inline void Joined(const Team* mine) {
  After(&mine->end);
  After(&mine->tasks);
  team = mine->outer;
  barriers = mine->outer_barriers;
}
inline void EnterBarrier() {
  if (team != nullptr) Before(&team->barriers[barriers % 2]);
}
inline void EndedTasks() {
  if (team != nullptr) After(&team->tasks);
}
inline void ExitBarrier() {
  if (team != nullptr) After(&team->barriers[barriers++ % 2]);
  EndedTasks();
}

// A value for each of many addresses, without any order between them. Places are never given back.
template <class T>
T* PlaceOf(T* table, size_t size, uint64_t address) {
  for (size_t i = 0; i < size; ++i) {
    T* place = &table[(address / 16 + i) % size];
    uint64_t known = 0;
    if (place->address.compare_exchange_strong(known, address, std::memory_order_relaxed) || known == address) {
      return place;
    }
  }
  return table;
}

// Memory that libomp hands from one user to the next.
inline void Take(const void* word) { After(word); }
inline void HandOn(const void* word) { Before(word); }

// The address of a task's word in libomp orders it after its creator. The next byte orders the tasks that it has
// created before it.
struct Task {
  std::atomic<uint64_t> address;
  std::atomic<const char*> creator;
  std::atomic<bool> depends;
};
inline Task tasks[1 << 14];
inline Task* TaskOf(const void* word) { return PlaceOf(tasks, 1 << 14, reinterpret_cast<uint64_t>(word)); }

inline void Create(const void* creator, const void* word) {
  Task* task = TaskOf(word);
  task->creator.store(static_cast<const char*>(creator), std::memory_order_relaxed);
  task->depends.store(false, std::memory_order_relaxed);
  Before(word);
}
inline void Depend(const void* word) { TaskOf(word)->depends.store(true, std::memory_order_relaxed); }
inline void Interrupt(const void* word) { Before(word); }
inline void Run(const void* word) {
  After(word);
  if (TaskOf(word)->depends.load(std::memory_order_relaxed)) EndedTasks();
}
inline void End(const void* word) {
  if (const char* creator = TaskOf(word)->creator.load(std::memory_order_relaxed)) Before(creator + 1);
  if (team != nullptr) Before(&team->tasks);
}
inline void EndedChildren(const void* word) { After(static_cast<const char*>(word) + 1); }

// libomp reports the release of a lock when another thread may already have it. So that thread waits here for the
// report.
struct Lock {
  std::atomic<uint64_t> address;
  std::atomic<bool> held;
};
inline Lock locks[1 << 10];
inline Lock* LockOf(uint64_t lock) { return PlaceOf(locks, 1 << 10, lock); }

inline void Acquired(uint64_t lock) {
  while (LockOf(lock)->held.exchange(true, std::memory_order_acquire)) sched_yield();
}
inline void Released(uint64_t lock) { LockOf(lock)->held.store(false, std::memory_order_release); }

}  // namespace epik::ompt::order

#else

namespace epik::ompt::order {

struct Team {};
inline void Fork(Team*) {}
inline void BeginPart(Team*) {}
inline void EndPart(const Team*) {}
inline void Joined(const Team*) {}
inline void EnterBarrier() {}
inline void ExitBarrier() {}
inline void EndedTasks() {}
inline void Take(const void*) {}
inline void HandOn(const void*) {}
inline void Create(const void*, const void*) {}
inline void Depend(const void*) {}
inline void Interrupt(const void*) {}
inline void Run(const void*) {}
inline void End(const void*) {}
inline void EndedChildren(const void*) {}
inline void Acquired(uint64_t) {}
inline void Released(uint64_t) {}

}  // namespace epik::ompt::order

#endif

#endif  // EPIK_ADAPTERS_OMP_OMPT_ORDERING_H_
