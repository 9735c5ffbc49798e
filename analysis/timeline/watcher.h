// SPDX-License-Identifier: BSD-3-Clause
// Takes the records of a trace that replay does not need: flushes, pauses, gaps, and values of user metrics. It sits
// between the trace and replay, so the trace is read once.
#ifndef EPIK_ANALYSIS_TIMELINE_WATCHER_H_
#define EPIK_ANALYSIS_TIMELINE_WATCHER_H_

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "analysis/replay/source.h"
#include "analysis/replay/time_model.h"
#include "analysis/replay/world.h"
#include "analysis/timeline/charger.h"
#include "analysis/timeline/timeline.h"
#include "archive/trace/trace_archive.h"

namespace epik::timeline {

// Values of one metric. When there are too many points, neighbours become one.
class CurveMaker {
 public:
  explicit CurveMaker(size_t most) : most_(most) {}
  void Add(int64_t ns, double value);
  std::vector<Curve::Point> Take() { return std::move(points_); }

 private:
  size_t most_;
  int64_t width_ = 1;
  std::vector<Curve::Point> points_;
};

class Watcher {
 public:
  // All arguments outlive the watcher, and the watcher outlives its sources.
  Watcher(const archive::TraceArchive* traces, const replay::World* world, replay::TimeModel* time);

  // Returns a source with the same events, which the watcher sees. Threads may read different locations.
  std::unique_ptr<replay::EventSource> Watch(uint32_t location, Charger charger,
                                             std::unique_ptr<replay::EventSource> source);
  // Adds markers and curves. `died`: the run was killed or crashed.
  void Finish(bool died, Timeline* timeline);

 private:
  friend class WatchedSource;
  struct State {
    uint64_t last = 0;                      // ticks of the last event
    int64_t flush = 0, off = 0;             // begins
    bool flushes = false, is_off = false;   // a flush, or a pause, has begun
    std::map<uint64_t, CurveMaker> curves;  // by number of the metric in the process
  };

  void Take(uint32_t location, const archive::Event& event);
  void TakeValue(uint32_t location, const archive::Event& event);
  void AddMarker(uint32_t location, int64_t from, int64_t to, Mark mark);

  const archive::TraceArchive& traces_;
  const replay::World& world_;
  replay::TimeModel* time_;
  std::vector<State> states_;
  std::mutex lock_;  // guards the members below
  std::vector<Marker> markers_;
  size_t curves_ = 0;
  uint64_t left_out_ = 0;
};

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_WATCHER_H_
