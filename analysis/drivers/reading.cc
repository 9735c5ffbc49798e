// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/drivers/reading.h"

#include "analysis/replay/archive_world.h"
#include "analysis/replay/condenser.h"
#include "archive/directory/archive.h"
#include "archive/files/parallel.h"

namespace epik::drivers {

using archive::TraceArchive;

unsigned ThreadsFor(const TraceArchive& traces) {
  constexpr uint64_t kWorthAThread = uint64_t{4} << 20;
  uint64_t bytes = 0;
  for (const auto& process : traces.processes()) bytes += process->file.bytes();
  return static_cast<unsigned>(std::clamp<uint64_t>(bytes / kWorthAThread, 1, archive::Cores()));
}

Reading::Reading(const TraceArchive& traces, const replay::World& world, clocks::Corrections corrections,
                 const Workers& workers)
    : workers_(workers),
      corrections_(std::move(corrections)),
      time_(&world, &corrections_),
      damage_(world.locations.size()),
      sources_(world.locations.size()) {
  if (workers_.helpers != nullptr) {
    // The index of a file has the number of events in each block, so the work is shared out before anybody reads one.
    std::vector<uint64_t> events(world.locations.size());
    for (uint32_t l = 0; l < events.size(); ++l) {
      const TraceArchive::Stream& stream = traces.streams()[l];
      for (const epilog::IndexEntry& block : traces.processes()[stream.process]->file.blocks()) {
        if (block.location == stream.number) events[l] += block.events;
      }
    }
    // Helpers learn first which locations are theirs, and which times to use. Sources() is the first to ask for a
    // batch, and by then the lanes can take it.
    workers_.helpers->Share(events);
    workers_.helpers->Begin(corrections_.Words());
    lanes_.emplace(std::move(sources_), 0, workers_.helpers);
    workers_.helpers->Serve(&*lanes_);
    return;
  }
  for (uint32_t l = 0; l < sources_.size(); ++l) {
    sources_[l] = std::make_unique<replay::Condenser>(replay::SourceOf(traces, l, &damage_[l]), &world, l, &time_);
  }
  if (workers_.threads > 1) lanes_.emplace(std::move(sources_), workers_.threads - 1);
}

Reading::~Reading() {
  // The helpers outlive this reading: their listener must not put a batch into lanes that are gone.
  if (workers_.helpers != nullptr) workers_.helpers->Serve(nullptr);
}

std::vector<std::unique_ptr<replay::EventSource>> Reading::Sources() {
  return lanes_.has_value() ? lanes_->Sources() : std::move(sources_);
}

std::vector<std::string> Reading::Damage() {
  std::vector<std::string> all;
  for (uint32_t l = 0; l < damage_.size(); ++l) {
    std::vector<std::string> some = workers_.helpers != nullptr ? workers_.helpers->TakeDamage(l) : damage_[l];
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

int HelpToRead(Link* link, const std::string& path) {
  archive::Archive archive;
  TraceArchive traces;
  std::string error;
  if (!archive::Open(path, &archive, &error) || !traces.Open(path, &error)) {
    return Help(link, {});  // rank 0 found the same, or fails when it asks for something
  }
  const replay::World world = replay::WorldOf(traces, path, archive.has_manifest ? &archive.manifest : nullptr);
  clocks::Corrections corrections;
  clocks::RepairedTime time(&world, &corrections);
  std::vector<std::vector<std::string>> damage(world.locations.size());
  Helper helper;
  helper.locations = world.locations.size();
  helper.begin = [&](const std::vector<uint64_t>& words) {
    // Rank 0 may read again, with other times. `time` keeps a pointer to the corrections, so they are replaced in
    // place. Damage of the reading before would be sent twice.
    corrections = clocks::Corrections(words);
    for (auto& some : damage) some.clear();
  };
  helper.source = [&](uint32_t l) {
    return std::make_unique<replay::Condenser>(replay::SourceOf(traces, l, &damage[l]), &world, l, &time);
  };
  helper.damage = [&](uint32_t l) { return damage[l]; };
  return Help(link, helper);
}

}  // namespace epik::drivers
