// SPDX-License-Identifier: BSD-3-Clause
// Observers look on while a trace is replayed: patterns, statistics, timelines. An observer knows no files, no
// processes that share the work, and no other observers. References are good until the call returns.
//
// For one location, Enter, Leave, Arrived and the functions of kThreads are called in the order of its events. Other
// facts come when their last part is known, in any order of time.
#ifndef EPIK_ANALYSIS_REPLAY_OBSERVER_H_
#define EPIK_ANALYSIS_REPLAY_OBSERVER_H_

#include <cstdint>
#include <span>

#include "analysis/replay/facts.h"

namespace epik::replay {

class Interruptions;
struct Skipped;

// A frame that a location entered.
struct Frame {
  uint32_t node = 0;
  uint32_t path = kNone;
  Operation operation;
  int64_t enter = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Tells which facts the observer wants. Frames cost time for every call of the trace.
  enum Wants : unsigned {
    kFrames = 1,        // Enter, Leave
    kMatched = 2,       // Matched
    kMessages = 4,      // Arrived, when messages arrived
    kParts = 8,         // Arrived, when parts of collective operations were completed
    kSent = 16,         // Sent
    kCollectives = 32,  // Met
    kTeams = 64,        // Gathered, Acquired, Waited, Awaited, Started
    kThreads = 128,     // Took, and all functions after it
    kPolled = 256,      // Polled
    kWindows = 512      // Fenced, Synchronised, Paired
  };
  virtual unsigned wants() const = 0;

  // Comes first. Replay notes interruptions in this object while it goes on.
  virtual void Follow(const Interruptions& /*interruptions*/) {}

  virtual void Enter(uint32_t /*location*/, const Frame& /*frame*/) {}
  virtual void Leave(uint32_t /*location*/, const Frame& /*frame*/, int64_t /*ns*/) {}
  // Calls that the source left out before the next event of the location. Only observers that want frames are told.
  virtual void Skip(uint32_t /*location*/, const Skipped& /*skipped*/) {}

  // Both ends are known, but not yet which calls complete them.
  virtual void Matched(const Message& /*message*/) {}
  // A call has ended, and for all that it completed it is known when that could have been completed.
  virtual void Arrived(const Call& /*call*/, std::span<const Arrival> /*arrivals*/) {}
  // The same for a test. A test does not wait.
  virtual void Polled(const Call& /*call*/, std::span<const Arrival> /*messages*/) {}
  // A call has ended, and for all messages that it sent, or whose sends it completed, it is known where they were
  // received. Buffered messages come with the call that takes the program's buffer back. The calls of a location come
  // in their order, unless very many wait for an earlier one.
  virtual void Sent(const Call& /*call*/, std::span<const Message* const> /*messages*/) {}
  // All members in the trace have taken part.
  virtual void Met(const Collective& /*collective*/) {}
  // All threads of a team, or all threads of a barrier of libc, have left the barrier.
  virtual void Gathered(const Gathering& /*barrier*/) {}
  // A thread got something that another thread had had before, in the order of the owners.
  virtual void Acquired(const Acquisition& /*acquisition*/) {}
  // A thread was at a place that waits for tasks, even if it took no time. A task has begun, and its creation is known.
  virtual void Awaited(const TaskWait& /*wait*/) {}
  virtual void Started(const TaskStart& /*start*/) {}
  // A thread has waited for other ones in libc.
  virtual void Waited(const ThreadWait& /*wait*/) {}

  // All processes of a window have left a fence.
  virtual void Fenced(const WindowFence& /*fence*/) {}
  // A call of one-sided communication ended, and all calls that it needed are known.
  virtual void Synchronised(const WindowWait& /*wait*/) {}
  virtual void Paired(const PairSync& /*pairs*/) {}

  // In the order of the location's events: it got a lock, and gave it back; it made a team, began its part in one, and
  // went on alone after the team that it had made. A team has a number in its process.
  virtual void Took(uint32_t /*location*/, int64_t /*ns*/) {}
  virtual void Freed(uint32_t /*location*/, int64_t /*ns*/) {}
  virtual void Forked(uint32_t /*location*/, uint64_t /*team*/, int64_t /*ns*/) {}
  virtual void Began(uint32_t /*location*/, uint64_t /*team*/, int64_t /*ns*/) {}
  virtual void Joined(uint32_t /*location*/, uint64_t /*team*/) {}
  // The same for threads of libc, which have numbers in their process: the location created a thread; the location is
  // that thread.
  virtual void Created(uint32_t /*location*/, uint64_t /*thread*/, int64_t /*ns*/) {}
  virtual void Born(uint32_t /*location*/, uint64_t /*thread*/, int64_t /*ns*/) {}
  // The same for tasks of OpenMP, after Handed: the location created a task; it begins a task that some thread has
  // created. `needs` has the last end on each location that ran tasks that this task depends on.
  virtual void TaskMade(uint32_t /*location*/, uint64_t /*task*/) {}
  virtual void TaskBegan(uint32_t /*location*/, uint64_t /*task*/, std::span<const TaskReady> /*needs*/) {}
  // The location ended, signalled or posted, so that others need not wait for it any longer.
  virtual void Released(uint32_t /*location*/, int64_t /*ns*/) {}
  // The location has a mutex of libc, and the trace tells when it gives the mutex back.
  virtual void Holds(uint32_t /*location*/) {}
  // The location created a task, or ended one, or gave back a mutex of libc that it had waited for, so that others need
  // not wait for it any longer.
  virtual void Handed(uint32_t /*location*/, int64_t /*ns*/) {}
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_OBSERVER_H_
