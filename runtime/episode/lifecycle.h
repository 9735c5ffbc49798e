// SPDX-License-Identifier: BSD-3-Clause
// The life of a measurement, and the only place that changes its stage.
//
//   kIdle -> kStarting -> kOn -> kFinishing -> kDone         kIdle -> kOff: nothing is measured, hooks return at once
//
//   kIdle       before the first event. Nothing exists: no file, no memory. Programs without events leave no trace.
//   kStarting   one thread sets up; others wait. Its own events are dropped.
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

// Stops the measurement (false: none was on); and, when the archive has been written, says that it is over.
bool BeginFinish(event::Ending ending, int value);
void EndFinish();

// Calls that this process has made since its measurement ended in MPI_Finalize; none when it did not end like that.
struct LateCalls {
  int rank;
  uint64_t calls;
};
LateCalls CallsAfterFinalize();

// Stops the measurement without writing anything; false when it was not on, or belongs to another process (a child
// that shares our memory until it execs). Async-signal-safe.
bool BeginRescue();

// The archive is there, or never will be: whoever waits in AwaitEnd may go on.
void EndRescue();

// A thread that is about to end the process lets another one, which is at work on the archive, finish it.
void AwaitEnd();

// Ticks of a duration, as well as the timer's scale was known when ScaleClock was called last.
uint64_t TicksOf(int64_t ns);
void ScaleClock();  // during the set-up

// For the child of a fork that libc tells nobody of.
void OnForkInChild();

// Where a thread that is about to be created will hang: the current call path of the caller.
Origin OriginOfNewThread();

// The calling thread's location, made when it has none yet; null while nothing is measured on it.
event::Location* CurrentLocation();

// Tells a thread where it comes from. It gets a location with its first event only, but its time begins now: threads
// without events (a library's helpers) leave no trace.
void BeginThread(Origin origin);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_LIFECYCLE_H_
