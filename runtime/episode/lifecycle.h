// SPDX-License-Identifier: BSD-3-Clause
// The life of a measurement, and the only place that changes its stage.
//
//   kIdle -> kStarting -> kOn -> kFinishing -> kDone         kIdle -> kOff: nothing is measured, hooks return at once
//
//   kIdle       before the first event. Nothing exists, neither file nor memory: programs without events leave nothing.
//   kStarting   one thread sets up; others wait, but not for ever. Its own events are dropped.
//   kOn         any number of threads; every event counts.
//   kFinishing  locations are taken away, the archive is being written; events are ignored.
//   kDone       the archive is there, or the arenas are kept for `epk recover`.
#ifndef EPIK_RUNTIME_EPISODE_LIFECYCLE_H_
#define EPIK_RUNTIME_EPISODE_LIFECYCLE_H_

#include "runtime/episode/location.h"
#include "runtime/event/layout.h"

namespace epik::episode {

enum class Stage : int { kIdle, kStarting, kOn, kFinishing, kDone, kOff };

Stage CurrentStage();

// Starts the measurement if it has not been tried yet. True when it is on.
bool EnsureStarted();

// Gives a thread without a location one, if anything is measured at all.
EPIK_COLD void EnterFirst(event::Key key, uint64_t stack);
EPIK_COLD void ExitFirst(event::Key key, uint64_t stack);

// BeginFinish stops the measurement (false: none was on). EndFinish: the archive is written.
bool BeginFinish(event::Ending ending, int value);
void EndFinish();

// Calls of this process after its measurement ended in MPI_Finalize; none if it ended in another way.
struct LateCalls {
  int rank;
  uint64_t calls;
};
LateCalls CallsAfterFinalize();

// Stops the measurement without writing anything; false when it was not on, or belongs to another process (a child
// that shares our memory until it execs). Async-signal-safe.
bool BeginRescue();

// The archive is complete, or will never be: threads that wait in AwaitEnd may go on.
void EndRescue();

// A thread that is about to end the process waits for another one that is writing the archive.
void AwaitEnd();

// Stops measuring the calling thread, because memory is full (EPK_OVERFLOW=stop). Its location stays as it is.
void StopThisThread();

// Ticks of a duration, by the timer's scale as of the last ScaleClock.
uint64_t TicksOf(int64_t ns);
void ScaleClock();  // during the set-up

// For the child of a fork for which libc calls no handlers.
void OnForkInChild();

// The call path below which a thread that is about to be created will hang: the caller's current call path, or the one
// below which the caller itself will hang.
Origin OriginOfNewThread();

// Finds or makes the calling thread's location; null while nothing is measured on it.
event::Location* CurrentLocation();

// Tells a thread its origin. It gets a location only with its first event, but its time begins now. Threads without
// events (a library's helpers) leave nothing.
void BeginThread(Origin origin);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LIFECYCLE_H_
