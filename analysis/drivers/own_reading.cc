// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/own_reading.h"

#include <utility>

#include "analysis/critical/blocks.h"
#include "analysis/replay/archive_world.h"
#include "analysis/replay/condenser.h"
#include "archive/trace_profile/tally.h"

namespace epik::drivers {

using archive::TraceArchive;
using critical::Segment;
using graph::Slice;

namespace {

// Gathers the tally of a location while its events pass.
class Tallied : public replay::EventSource {
 public:
  Tallied(std::unique_ptr<replay::EventSource> source, const TraceArchive& traces, uint32_t location,
          std::string* packed)
      : source_(std::move(source)), tally_(traces, location), packed_(packed) {}

  bool Next(archive::Event* event) override {
    if (source_->Next(event)) {
      tally_.Take(*event);
      return true;
    }
    Finish();
    return false;
  }

 private:
  // Next comes here once. It would save and check more at each call if it packed the tally itself.
  [[gnu::noinline]] void Finish() { *packed_ = tally_.Finish(); }

  std::unique_ptr<replay::EventSource> source_;
  archive::LocationTally tally_;
  std::string* packed_;
};

// Ends when the time is over. Nobody else might ask for long, because many events become one batch.
class Timed : public replay::EventSource {
 public:
  Timed(std::unique_ptr<replay::EventSource> source, const archive::TimeLimit& limit)
      : source_(std::move(source)), steps_(limit) {}

  bool Next(archive::Event* event) override {
    steps_.Step();
    return source_->Next(event);
  }

 private:
  std::unique_ptr<replay::EventSource> source_;
  archive::TimedSteps steps_;
};

}  // namespace

OwnReading::OwnReading(const TraceArchive& traces, const replay::World& world, archive::TimeLimit limit)
    : traces_(traces),
      world_(world),
      limit_(std::move(limit)),
      time_(&world, &corrections_),
      damage_(world.locations.size()),
      tally_(world.locations.size()) {}

void OwnReading::Begin(clocks::Corrections corrections, Gathering gathering) {
  // `time_` keeps a pointer to the corrections, so they are replaced in place. Damage of the reading before would be
  // told twice.
  corrections_ = std::move(corrections);
  gathering_ = gathering;
  for (auto& some : damage_) some.clear();
}

std::unique_ptr<replay::EventSource> OwnReading::Source(uint32_t location) {
  std::unique_ptr<replay::EventSource> source = replay::SourceOf(traces_, location, &damage_[location]);
  if (limit_.IsThere()) source = std::make_unique<Timed>(std::move(source), limit_);
  if (gathering_ == Gathering::kTallies) {
    source = std::make_unique<Tallied>(std::move(source), traces_, location, &tally_[location]);
  }
  return std::make_unique<replay::Condenser>(std::move(source), &world_, location, &time_);
}

std::vector<Segment> OwnReading::Cut(uint32_t location, std::vector<Slice> slices, int64_t least_ns) {
  const TraceArchive::Stream& stream = traces_.streams()[location];
  const auto parent_of = [this, p = stream.process](uint32_t node) { return traces_.ParentOfNode(p, node); };
  std::vector<Segment> segments;
  if (damage_[location].empty() && critical::CutInBlocks(traces_.processes()[stream.process]->file, parent_of, slices,
                                                         location, world_, &time_, least_ns, &segments, limit_)) {
    return segments;
  }
  std::vector<std::string> said_already;
  const auto source = replay::SourceOf(traces_, location, &said_already);
  return critical::CutSlices(std::move(slices), location, world_, source.get(), {}, &time_, least_ns, limit_);
}

}  // namespace epik::drivers
