// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/stays.h"

#include <algorithm>

namespace epik::approximation {

using graph::kNone;
using graph::Point;
using graph::PointKind;

// The point before the stay. A moment of no meaning says nothing of what the location did before.
const Point* Stay::Since() const {
  constexpr uint32_t kMostSplits = 64;
  if (before.point == 0) return nullptr;
  graph::Place place{before.location, before.point - 1};
  for (uint32_t i = 0; i < kMostSplits && place.point > 0; ++i, --place.point) {
    if (graph->At(place).kind != PointKind::kSplit) break;
  }
  return &graph->At(place);
}

uint64_t Stay::After() const {
  const Point* since = Since();
  return since == nullptr ? 0 : uint64_t{since->path} << 8 | static_cast<uint64_t>(since->kind);
}

bool Stay::HasLock() const {
  const Point* since = Since();
  if (since == nullptr || since->kind != PointKind::kCall) return false;
  const replay::Role role = since->operation.role;
  return role == replay::Role::kLock || role == replay::Role::kMutex;
}

uint32_t StayKinds::LengthOf(int64_t ns) const {
  return static_cast<uint32_t>(std::upper_bound(lengths_.begin(), lengths_.end(), ns) - lengths_.begin());
}

uint32_t StayKinds::Find(uint64_t after, uint32_t length) const {
  for (uint32_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].after == after && kinds_[k].length == length) return k;
  }
  return kNone;
}

void StayKinds::Add(const Stay& stay) {
  const uint32_t length = LengthOf(stay.ns);
  const uint64_t after = stay.After();
  uint32_t k = Find(after, length);
  if (k == kNone && kinds_.size() >= kMostKinds) k = Find(kOthers, length);
  if (k == kNone) {
    k = static_cast<uint32_t>(kinds_.size());
    kinds_.push_back({k < kMostKinds ? after : kOthers, length, stay.HasLock(), 0, 0, 0});
  }
  Kind& kind = kinds_[k];
  ++kind.stays;
  kind.ns += static_cast<double>(stay.ns);
  kind.longest = std::max(kind.longest, stay.ns);
}

uint32_t StayKinds::Of(const Stay& stay) const {
  const uint64_t its = stay.After();
  for (uint32_t length = LengthOf(stay.ns);; --length) {
    for (const uint64_t after : {its, kOthers}) {
      if (const uint32_t k = Find(after, length); k != kNone) return k;
    }
    if (length == 0) return kNone;
  }
}

}  // namespace epik::approximation
