// SPDX-License-Identifier: BSD-3-Clause
// Observers look on while a trace is replayed: patterns, statistics, timelines. An observer knows no files, no
// processes that share the work, and no other observers. References are good until the call returns.
//
// For one location, Enter, Leave, Arrived and what kThreads wants come in the order of the location. Facts come
// when their last part is known, whatever their times.
#ifndef EPIK_ANALYSIS_REPLAY_OBSERVER_H_
#define EPIK_ANALYSIS_REPLAY_OBSERVER_H_

#include <cstdint>
#include <span>

#include "analysis/replay/facts.h"
#include "analysis/replay/interruptions.h"
#include "analysis/replay/source.h"

namespace epik::replay {

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

  // The events that an observer asks for. Frames cost time for every call of the trace.
  enum Wants : unsigned {
    kFrames = 1,        // Enter, Leave
    kMatched = 2,       // Matched
    kMessages = 4,      // Arrived, when messages arrived
    kParts = 8,         // Arrived, when parts of collective operations were completed
    kSent = 16,         // Sent
    kCollectives = 32,  // Met
    kTeams = 64,        // Gathered, Acquired, Waited, Awaited, Started
    kThreads = 128,     // Took, Freed, Forked, Began, Created, Born, Released, Handed, TaskMade, TaskBegan
    kPolled = 256,      // Polled
    kWindows = 512      // Fenced, Synchronised, Paired
  };
  virtual unsigned wants() const = 0;

  // Before all else. The replay notes there what it comes to.
  virtual void Follow(const Interruptions& /*interruptions*/) {}

  virtual void Enter(uint32_t /*location*/, const Frame& /*frame*/) {}
  virtual void Leave(uint32_t /*location*/, const Frame& /*frame*/, int64_t /*ns*/) {}
  // Before the next event of the location: calls that its source left out. To who is told of frames.
  virtual void Skip(uint32_t /*location*/, const Skipped& /*skipped*/) {}

  // Both ends are known, but not yet which calls complete them.
  virtual void Matched(const Message& /*message*/) {}
  // A call has ended, and so is known for all that it completed when it could have been.
  virtual void Arrived(const Call& /*call*/, std::span<const Arrival> /*arrivals*/) {}
  // The same of a test. It did not wait.
  virtual void Polled(const Call& /*call*/, std::span<const Arrival> /*messages*/) {}
  // A call has ended, and of all messages that it sent, or completed the sending of, it is known where they were
  // received.
  virtual void Sent(const Call& /*call*/, std::span<const Message* const> /*messages*/) {}
  // All that are in the trace have taken part.
  virtual void Met(const Collective& /*collective*/) {}
  // All threads of a team, or all that a barrier of libc is for, have left a barrier.
  virtual void Gathered(const Gathering& /*barrier*/) {}
  // Somebody got what another thread had had before, in the order in which it was had.
  virtual void Acquired(const Acquisition& /*acquisition*/) {}
  // A thread was at a place where it waits for tasks, perhaps for no time. A task has begun, and its creation is known.
  virtual void Awaited(const TaskWait& /*wait*/) {}
  virtual void Started(const TaskStart& /*start*/) {}
  // A thread has waited for other ones in libc.
  virtual void Waited(const ThreadWait& /*wait*/) {}

  // All processes of a window have left a fence.
  virtual void Fenced(const WindowFence& /*fence*/) {}
  // A call of one-sided communication, of which everything that it needed is known.
  virtual void Synchronised(const WindowWait& /*wait*/) {}
  virtual void Paired(const PairSync& /*pairs*/) {}

  // In the order of the location: it got a lock, and gave it back; it made a team, and began its part in one. A team
  // has a number in its process.
  virtual void Took(uint32_t /*location*/, int64_t /*ns*/) {}
  virtual void Freed(uint32_t /*location*/, int64_t /*ns*/) {}
  virtual void Forked(uint32_t /*location*/, uint64_t /*team*/, int64_t /*ns*/) {}
  virtual void Began(uint32_t /*location*/, uint64_t /*team*/, int64_t /*ns*/) {}
  // The same for threads of libc, which have numbers in their process: it created one; it is one.
  virtual void Created(uint32_t /*location*/, uint64_t /*thread*/, int64_t /*ns*/) {}
  virtual void Born(uint32_t /*location*/, uint64_t /*thread*/, int64_t /*ns*/) {}
  // The same for tasks of OpenMP, after Handed: it created one; it begins one that some thread has created. `needs` has
  // the last end on each location that ran tasks which this one depends on.
  virtual void TaskMade(uint32_t /*location*/, uint64_t /*task*/) {}
  virtual void TaskBegan(uint32_t /*location*/, uint64_t /*task*/, std::span<const TaskReady> /*needs*/) {}
  // It ended, signalled or posted, so that others need no longer wait for it.
  virtual void Released(uint32_t /*location*/, int64_t /*ns*/) {}
  // It created a task, or ended one, so that others need no longer wait for it.
  virtual void Handed(uint32_t /*location*/, int64_t /*ns*/) {}
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_OBSERVER_H_
