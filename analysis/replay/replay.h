// SPDX-License-Identifier: BSD-3-Clause
// Goes through all locations of a trace in the order of dependences, not of time. A location goes on until it comes to
// an event that cannot have happened before some event of another location, which has not been seen yet. So clocks may
// be wrong. If no location can go on, because the trace is not whole, the one that is furthest behind goes on without
// that event.
//
//   Replay replay(&world, std::move(sources), &time, observers);
//   replay.Run();
//   replay.unmatched() …
//
// Memory holds open frames, messages whose other end has not come, collective operations that some members are in, and
// the events by which a location without dependences is ahead. docs/analysis.md describes all of it.
#ifndef EPIK_ANALYSIS_REPLAY_REPLAY_H_
#define EPIK_ANALYSIS_REPLAY_REPLAY_H_

#include <functional>
#include <memory>
#include <vector>

#include "analysis/replay/observer.h"
#include "analysis/replay/source.h"
#include "analysis/replay/time_model.h"
#include "analysis/replay/unmatched.h"
#include "analysis/replay/world.h"
#include "archive/files/time_limit.h"

namespace epik::replay {

class Engine;

struct Totals {
  uint64_t events = 0;
  uint64_t messages = 0;     // with both ends
  uint64_t collectives = 0;  // that are whole
  uint64_t violations = 0;   // by these clocks: receives before their sends, operations left before all came
  int64_t worst_violation_ns = 0;
  uint64_t gaps = 0;         // places where events are missing
  uint64_t forced = 0;       // the number of times that a location went on without the event that it depends on
  uint64_t by_order = 0;     // messages that were matched by their order, although the trace lacks some
  size_t most_messages = 0;  // the most that were in memory at a time
  size_t most_locks = 0;     // the same of locks of a window that were given back
};

class Replay {
 public:
  // A source for each location of the world. Everything else outlives the replay.
  Replay(const World* world, std::vector<std::unique_ptr<EventSource>> sources, TimeModel* time,
         std::vector<Observer*> observers);
  ~Replay();

  // Replays the whole trace. `progress`, if there is one, is called every few million events.
  void Run(const std::function<void(uint64_t events)>& progress = nullptr, const archive::TimeLimit& limit = {});

  const Unmatched& unmatched() const;
  const Totals& totals() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_REPLAY_H_
