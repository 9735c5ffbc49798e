// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/standing.h"

#include <algorithm>
#include <utility>

namespace epik::scopes {

namespace {

bool IsOfMpi(const archive::ProcessImage& image, event::Key key) {
  if (!event::IsRegion(key) || event::IsRetired(key)) return false;
  const auto found = image.regions.find(event::RegionOf(key));
  return found != image.regions.end() && found->second.paradigm == event::Paradigm::kMpi;
}

void MergeInto(std::vector<StandingRow>* rows, const StandingRow& row) {
  const auto same =
      std::find_if(rows->begin(), rows->end(), [&](const StandingRow& one) { return one.path == row.path; });
  if (same == rows->end()) return rows->push_back(row);
  same->count += row.count;
  same->seconds = std::max(same->seconds, row.seconds);
  same->rank = std::min(same->rank, row.rank);
}

}  // namespace

bool IsWaiting(const archive::ProcessImage& image, event::Key key) {
  if (event::IsRegion(key) && !event::IsRetired(key)) {
    const uint32_t region = event::RegionOf(key);
    if (region == event::kIdleRegion || region == event::kLimitedRegion || region == event::kMeasurementRegion ||
        region == event::kPausedRegion) {
      return true;
    }
    const auto found = image.regions.find(region);
    return found != image.regions.end() && found->second.paradigm != event::Paradigm::kUser;
  }
  const event::Construct construct = event::ConstructOf(key);
  return construct == event::Construct::kBarrier || construct == event::Construct::kImplicitBarrier;
}

bool FindPlace(const archive::ProcessImage& image, Whereabouts* place) {
  int best = 0;  // 1: a thread waits; 2: it is in MPI; 3: it works
  for (const archive::LocationImage& location : image.locations) {
    if (location.frames.empty() || location.header.state != event::LocationState::kRunning) continue;
    // Without room for its call path, a frame has no node.
    const auto frame = std::find_if(location.frames.rbegin(), location.frames.rend(),
                                    [&](const archive::OpenFrame& one) { return one.node < location.nodes.size(); });
    if (frame == location.frames.rend()) continue;
    const archive::OpenFrame& last = location.frames.back();
    const int rank = IsOfMpi(image, last.key) ? 2 : IsWaiting(image, last.key) ? 1 : 3;
    if (rank < best || (rank == best && (rank != 2 || last.entered <= place->entered))) continue;
    best = rank;
    *place = {location.header.number, location.lines[frame->node], last.key, last.entered, rank == 2};
  }
  return best != 0;
}

void Standings::Add(const StandingRow& row) { MergeInto(row.stands != 0 ? &calls_ : &others_, row); }

void Standings::Take(std::vector<StandingRow>* rows) {
  std::stable_sort(calls_.begin(), calls_.end(),
                   [](const StandingRow& a, const StandingRow& b) { return a.seconds > b.seconds; });
  std::stable_sort(others_.begin(), others_.end(),
                   [](const StandingRow& a, const StandingRow& b) { return a.rank < b.rank; });
  if (calls_.size() > kMostCalls) calls_.resize(kMostCalls);
  if (others_.size() > kMostOthers) others_.resize(kMostOthers);
  for (std::vector<StandingRow>* list : {&calls_, &others_}) {
    rows->insert(rows->end(), list->begin(), list->end());
    list->clear();
  }
}

}  // namespace epik::scopes
