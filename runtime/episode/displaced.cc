// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/displaced.h"

#include "runtime/episode/paths.h"

namespace epik::episode {

using event::Location;
using event::NodeAt;

uint32_t DisplacedBelow(Location* location, uint32_t node) {
  if (node == 0 || node == location->sink) return 0;
  const uint32_t metric = ChildOf(location, node, event::RegionKey(event::kDisplacedMetric));
  return metric == location->sink ? 0 : metric;
}

void MoveTime(Location* location, uint32_t from, uint32_t to, uint64_t ticks) {
  if (from == location->sink || to == location->sink || from == to) return;
  const uint32_t gets = DisplacedBelow(location, to);
  const uint32_t gives = DisplacedBelow(location, from);
  if (gets == 0 || gives == 0) return;
  AddDisplaced(gets, static_cast<int64_t>(ticks));
  AddDisplaced(gives, -static_cast<int64_t>(ticks));
}

void Displace(Location* location, uint32_t node, uint32_t outer, uint64_t duration) {
  if (node != location->sink) MoveTime(location, outer, NodeAt(node)->parent, duration);
}

}  // namespace epik::episode
