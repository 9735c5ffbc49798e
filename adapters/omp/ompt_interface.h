// SPDX-License-Identifier: BSD-3-Clause
// The part of OpenMP's tool interface (OpenMP 5.1, chapter 4) that the adapter uses. It is written here because
// compilers other than clang have no omp-tools.h. Names and numbers are the standard's.
#ifndef EPIK_ADAPTERS_OMP_OMPT_INTERFACE_H_
#define EPIK_ADAPTERS_OMP_OMPT_INTERFACE_H_

#include <cstdint>

namespace epik::ompt {

union Data {
  uint64_t value;
  void* pointer;
};
struct Frame;

using AnyFunction = void (*)();
using Lookup = AnyFunction (*)(const char* name);

extern "C" {
struct ToolResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);
  void (*finalize)(Data* tool);
  Data tool;
};
}

using SetCallback = int (*)(int event, AnyFunction callback);

enum Event {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kSyncRegionWait = 16,
  kMutexReleased = 17,
  kDependences = 18,
  kWork = 20,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
};

enum Endpoint { kBegin = 1, kEnd = 2 };

enum SyncKind {
  kSyncBarrier = 1,
  kSyncImplicit = 2,
  kSyncExplicit = 3,
  kSyncImplementation = 4,
  kSyncTaskwait = 5,
  kSyncTaskgroup = 6,
  kSyncImplicitWorkshare = 8,
  kSyncImplicitParallel = 9,
};

enum WorkKind { kWorkLoop = 1, kWorkSections = 2, kWorkSingle = 3, kWorkTaskloop = 7, kWorkLoopStatic = 10 };

enum MutexKind { kMutexCritical = 5, kMutexAtomic = 6, kMutexOrdered = 7 };

inline constexpr int kTaskInitial = 1;
inline constexpr int kTaskExplicit = 4;
inline constexpr int kTaskWaits = 0x10;  // taskwait with dependences: no code of the program's
inline constexpr int kLeague = 0x40000000;

struct Dependence {
  const void* object;
  int kind;
};

enum DependenceKind { kDependIn = 1, kDependOut = 2, kDependInOut = 3, kDependMutexInOutSet = 4, kDependInOutSet = 7 };

enum TaskStatus {
  kComplete = 1,
  kYield = 2,
  kCancel = 3,
  kDetach = 4,
  kEarlyFulfill = 5,
  kLateFulfill = 6,
  kSwitch = 7
};

}  // namespace epik::ompt

#endif  // EPIK_ADAPTERS_OMP_OMPT_INTERFACE_H_
