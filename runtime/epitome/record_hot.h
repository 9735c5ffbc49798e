// SPDX-License-Identifier: BSD-3-Clause
// Adds a visit to its node, while the program runs and in readers of pending visits.
#ifndef EPIK_RUNTIME_EPITOME_RECORD_HOT_H_
#define EPIK_RUNTIME_EPITOME_RECORD_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::epitome {

// Adds one completed visit.
EPIK_HOT void Record(event::Node* node, uint64_t duration) {
  ++node->visits;
  EPIK_ORDER();  // keeps the stores apart: a signal handler must not come between a read and a write of two sums in one
                 // wide register
  node->ticks += duration;
  if (duration < node->min) node->min = duration;
  if (duration > node->max) node->max = duration;
  const double d = static_cast<double>(static_cast<int64_t>(duration));
  node->squares += d * d;
}

}  // namespace epik::epitome

#endif  // EPIK_RUNTIME_EPITOME_RECORD_HOT_H_
