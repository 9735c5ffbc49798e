// SPDX-License-Identifier: BSD-3-Clause
// Visits whose call path does not hang below the frame that they interrupted: tasks, and threads' parts of teams. Their
// time is displaced: a metric above their call path adds it, and a metric above the interrupted call path subtracts it,
// so that inclusive times are right.
#ifndef EPIK_RUNTIME_EPISODE_DISPLACED_H_
#define EPIK_RUNTIME_EPISODE_DISPLACED_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::episode {

// Finds or makes the metric of a call path; 0: no room. REQUIRES: inside.
uint32_t DisplacedBelow(event::Location* location, uint32_t node);

EPIK_HOT void AddDisplaced(uint32_t metric, int64_t ticks) {
  event::Node* node = event::NodeAt(metric);
  uint64_t sum;
  __builtin_memcpy(&sum, &node->squares, sizeof sum);
  sum += static_cast<uint64_t>(ticks);
  __builtin_memcpy(&node->squares, &sum, sizeof sum);
}

// Moves ticks from one call path to another. REQUIRES: inside.
void MoveTime(event::Location* location, uint32_t from, uint32_t to, uint64_t ticks);

// A visit of `node` that interrupted `outer` took `duration`. REQUIRES: inside.
void Displace(event::Location* location, uint32_t node, uint32_t outer, uint64_t duration);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_DISPLACED_H_
