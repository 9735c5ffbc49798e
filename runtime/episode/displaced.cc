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

void Displace(Location* location, uint32_t node, uint32_t outer, uint64_t duration) {
  if (node == location->sink || outer == location->sink) return;
  const uint32_t to = DisplacedBelow(location, NodeAt(node)->parent);
  const uint32_t from = DisplacedBelow(location, outer);
  if (to == 0 || from == 0) return;
  AddDisplaced(to, static_cast<int64_t>(duration));
  AddDisplaced(from, -static_cast<int64_t>(duration));
}

}  // namespace epik::episode
