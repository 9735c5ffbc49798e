// SPDX-License-Identifier: BSD-3-Clause
// Tells ThreadSanitizer the order that libgomp makes: libgomp is not built with the sanitizer, so its locks and
// barriers are invisible. Each pair of calls stands for an order that OpenMP demands and libgomp makes: from fork to
// part, from part to join, barriers, locks, from the creation of a task to its begin, from its end to the wait for it.
// Without the sanitizer, all functions are empty.
#ifndef EPIK_ADAPTERS_OMP_ORDERING_H_
#define EPIK_ADAPTERS_OMP_ORDERING_H_

#include "runtime/base/compiler.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#endif

#ifdef __SANITIZE_THREAD__

extern "C" {
void __tsan_acquire(void* tag);
void __tsan_release(void* tag);
}

namespace epik::omp::order {

inline void Before(const void* tag) { __tsan_release(const_cast<void*>(tag)); }
inline void After(const void* tag) { __tsan_acquire(const_cast<void*>(tag)); }

// Tags by which the team of this thread, and the tasks that its task has created, are ordered.
struct Team {
  char barriers[2], single, tasks, end;
};
inline thread_local Team* team = nullptr;
inline thread_local unsigned barriers = 0;
// Two bytes of each task order the tasks that it has created, and the created tasks that have ended.
inline thread_local char implicit_task[2];
inline thread_local const char* task = implicit_task;

// A barrier. The next one has another tag, so that a fast thread in it does not seem to come before slow threads in
// this one.
class Barrier {
 public:
  Barrier() : tag_(team == nullptr ? nullptr : &team->barriers[barriers++ % 2]) {
    if (tag_ != nullptr) Before(tag_);
  }
  ~Barrier() {
    if (tag_ == nullptr) return;
    After(tag_);
    After(&team->tasks);
  }

 private:
  const void* tag_;
};

// A thread's part in a region.
class Part {
 public:
  explicit Part(Team* mine) : outer_(team), outer_barriers_(barriers), outer_task_(task) {
    After(mine);
    team = mine;
    barriers = 0;
    task = implicit_task;
  }
  ~Part() {
    Before(&team->end);
    team = outer_;
    barriers = outer_barriers_;
    task = outer_task_;
  }

 private:
  Team* outer_;
  unsigned outer_barriers_;
  const char* outer_task_;
};

inline void Fork(Team* mine) { Before(mine); }
inline void Joined(Team* mine) {
  After(&mine->end);
  After(&mine->tasks);
}
inline void Single(bool has_waited) {
  if (team != nullptr) has_waited ? After(&team->single) : Before(&team->single);
}

// The creator of a task, and whether the task waits for other tasks.
struct Origin {
  const char* creator;
  bool depends;
};
inline Origin Create(bool depends) {
  Before(task + 1);
  return {task, depends};
}
// The program's own code has copied the data of a task, in its creator.
inline void Copied() { Before(task + 1); }
class Run {
 public:
  Run(Origin origin, const void* own) : origin_(origin), outer_(task) {
    After(origin.creator + 1);
    if (origin.depends && team != nullptr) After(&team->tasks);
    task = static_cast<const char*>(own);
  }
  ~Run() {
    Before(origin_.creator);
    if (team != nullptr) Before(&team->tasks);
    task = outer_;
  }

 private:
  Origin origin_;
  const char* outer_;
};
// Waits that end when the children of a task, or all tasks of a group, have ended.
struct Children {
  ~Children() { After(task); }
};
struct Group {
  ~Group() {
    if (team != nullptr) After(&team->tasks);
  }
};

}  // namespace epik::omp::order

#else

namespace epik::omp::order {

struct Team {};
struct Origin {};
struct Barrier {
  EPIK_HOT Barrier() {}
};
struct Children {
  EPIK_HOT Children() {}
};
struct Group {
  EPIK_HOT Group() {}
};
struct Part {
  EPIK_HOT explicit Part(Team*) {}
};
struct Run {
  EPIK_HOT Run(Origin, const void*) {}
};
EPIK_HOT void Before(const void*) {}
EPIK_HOT void After(const void*) {}
EPIK_HOT void Fork(Team*) {}
EPIK_HOT void Joined(Team*) {}
EPIK_HOT void Single(bool) {}
EPIK_HOT Origin Create(bool) { return {}; }
EPIK_HOT void Copied() {}

}  // namespace epik::omp::order

#endif

#endif  // EPIK_ADAPTERS_OMP_ORDERING_H_
