// SPDX-License-Identifier: BSD-3-Clause
#include "archive/parts/event_kinds.h"

#include "archive/metrics/event_pairs.h"
#include "archive/profile/region_class.h"
#include "archive/symbols/construct_names.h"

namespace epik::archive {

using event::Construct;

namespace {

// Whether the construct contains the user's code.
bool IsWork(Construct construct) {
  using enum Construct;
  switch (construct) {
    case kCritical:
    case kOrdered:
    case kAtomic:
    case kTaskwait:
    case kTaskgroup:
    case kTaskyield:
    case kBarrier:
    case kImplicitBarrier:
    case kDoacrossWait:
    case kReduction: return false;
    default: return true;
  }
}

EventKind KindOf(const RecordedRegion& region, OpenMpRuntime runtime, Processor processor) {
  switch (region.paradigm) {
    case event::Paradigm::kMpi:
      return {IsLocalMpi(region.name) ? Doing::kWorkMpi : Doing::kWaitMpi, PairsOfMpi(region.name, processor)};
    case event::Paradigm::kOpenMp: return {Doing::kWaitOpenMp, PairsOfOpenMp(region.name, runtime, processor)};
    case event::Paradigm::kUser: break;
  }
  return {};
}

}  // namespace

bool IsPath(const event::Node& node) {
  if (node.key == event::RegionKey(event::kLimitedRegion)) return node.visits != 0;
  return !event::IsMetric(node.key) && node.key != event::RegionKey(event::kPeersRegion);
}

EventKinds::EventKinds(const ProcessImage& image) {
  const Processor processor = image.header.hides_little != 0 ? Processor::kHidesLittle : Processor::kHidesMost;
  OpenMpRuntime runtime = OpenMpRuntime::kGomp;
  for (const ModuleDefinition& module : image.modules) runtime = RuntimeBy(module.path, runtime);
  for (size_t i = 1; i < constructs_.size(); ++i) {
    const auto construct = static_cast<Construct>(i);
    Region region;
    NameConstruct(construct, "", "", &region);
    constructs_[i] = {IsWork(construct) ? Doing::kWorkOpenMp : Doing::kWaitOpenMp,
                      PairsOfOpenMp(region.name, runtime, processor)};
  }
  for (const auto& [number, region] : image.regions) regions_[number] = KindOf(region, runtime, processor);
  regions_[event::kMeasurementRegion] = {Doing::kOwn, 0};
  for (const uint32_t idle : {event::kIdleRegion, event::kLimitedRegion}) {
    regions_[idle] = {Doing::kWaitOpenMp, PairsOfOpenMp("idle", runtime, processor)};
  }
}

EventKind EventKinds::Of(const event::Node& node) const {
  if (!IsPath(node)) return {Doing::kNothing, 0};
  const auto construct = static_cast<size_t>(event::ConstructOf(node.key));
  if (construct != 0) return construct < constructs_.size() ? constructs_[construct] : EventKind{Doing::kWorkOpenMp, 1};
  if (!event::IsRegion(node.key)) return {};
  const auto region = regions_.find(event::RegionOf(node.key));
  return region == regions_.end() ? EventKind{} : region->second;
}

}  // namespace epik::archive
