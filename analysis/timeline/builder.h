// SPDX-License-Identifier: BSD-3-Clause
// Fills a timeline while a trace is replayed.
#ifndef EPIK_ANALYSIS_TIMELINE_BUILDER_H_
#define EPIK_ANALYSIS_TIMELINE_BUILDER_H_

#include <array>
#include <iterator>
#include <memory>
#include <vector>

#include "analysis/replay/observer.h"
#include "analysis/replay/progress.h"
#include "analysis/replay/rendezvous.h"
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
  // `columns`: locations of the profile. `world` outlives the builder.
  Builder(const replay::World* world, size_t columns, int64_t from, int64_t to, uint64_t events);

  // The bins for the work of the location (charger.h). Other threads may fill it while this one adds waits.
  BinFiller* BinsOf(uint32_t location) { return &bins_[location]; }
  // The long calls of the location, which the same work finds.
  std::vector<LongCall>* LongCallsOf(uint32_t location) { return &long_calls_[location]; }
  size_t MostLongCalls() const;

  unsigned wants() const override { return kMatched | kMessages | kParts | kSent | kCollectives | kTeams | kWindows; }
  void Matched(const replay::Message& message) override;
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;
  void Sent(const replay::Call& call, std::span<const replay::Message* const> messages) override;
  void Met(const replay::Collective& collective) override;
  void Gathered(const replay::Gathering& barrier) override;
  void Acquired(const replay::Acquisition& acquisition) override;
  void Waited(const replay::ThreadWait& wait) override;
  void Awaited(const replay::TaskWait& wait) override;
  void Fenced(const replay::WindowFence& fence) override;
  void Synchronised(const replay::WindowWait& wait) override;

  Timeline Finish();

 private:
  int64_t FirstData(const replay::Collective& collective, const replay::Member& root);
  void GatheredInPart(const replay::Gathering& barrier, int pattern);
  uint32_t ColumnOf(uint32_t location) const { return world_->locations[location].column; }
  // `call`: when the call that waits was entered.
  void AddWait(uint32_t location, uint32_t path, int64_t call, int64_t from, int64_t to, uint32_t cause, int64_t caused,
               int pattern);

  const replay::World* world_;
  replay::Rendezvous rendezvous_;
  replay::Progress progress_;
  std::vector<BinFiller> bins_;                    // by location of the world
  std::vector<std::vector<LongCall>> long_calls_;  // likewise
  Timeline timeline_;
  uint64_t messages_ = 0, meetings_ = 0;
  std::array<uint64_t, std::size(kPatternNames)> waits_ = {};
  // By location and pattern, the enter of the call that waited last.
  std::vector<std::array<int64_t, std::size(kPatternNames)>> last_call_;
};

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_BUILDER_H_
