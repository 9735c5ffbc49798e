// SPDX-License-Identifier: BSD-3-Clause
// Fills a timeline while a trace is replayed.
#ifndef EPIK_ANALYSIS_TIMELINE_BUILDER_H_
#define EPIK_ANALYSIS_TIMELINE_BUILDER_H_

#include <memory>
#include <vector>

#include "analysis/replay/observer.h"
#include "analysis/replay/time_model.h"
#include "analysis/replay/world.h"
#include "analysis/timeline/timeline.h"

namespace epik::timeline {

// The width of bins is a power of two of nanoseconds; their number depends on the trace and on memory.
struct Resolution {
  int64_t width = 1;
  size_t bins = 1;  // of each location
};
Resolution ChooseResolution(int64_t from, int64_t to, uint64_t events, size_t locations);

class Builder : public replay::Observer {
 public:
  // `kinds`: of the call paths. `columns`: locations of the profile. `world` and `time` outlive the builder.
  Builder(const replay::World* world, replay::TimeModel* time, std::vector<Kind> kinds, size_t columns, int64_t from,
          int64_t to, uint64_t events);

  unsigned wants() const override { return kFrames | kMatched | kMessages | kParts | kCollectives | kTeams; }
  void Enter(uint32_t location, const replay::Frame& frame) override;
  void Leave(uint32_t location, const replay::Frame& frame, uint64_t ticks) override;
  void Matched(const replay::Message& message) override;
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;
  void Met(const replay::Collective& collective) override;
  void Gathered(const replay::Gathering& barrier) override;
  void Acquired(const replay::Acquisition& acquisition) override;

  Timeline Finish();

 private:
  struct State {
    std::unique_ptr<BinFiller> bins;
    std::vector<uint32_t> stack;  // call paths
    bool begun = false;
  };

  uint32_t ColumnOf(uint32_t location) const { return world_->locations[location].column; }
  void Advance(State* state, int64_t ns);
  void AddWait(uint32_t location, uint32_t path, int64_t from, int64_t to, uint32_t cause, int64_t caused, int pattern);

  const replay::World* world_;
  replay::TimeModel* time_;
  std::vector<Kind> kinds_;
  std::vector<State> states_;  // by location of the world
  Timeline timeline_;
  uint64_t messages_ = 0, waits_ = 0, meetings_ = 0;
};

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_BUILDER_H_
