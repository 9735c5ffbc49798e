// SPDX-License-Identifier: BSD-3-Clause
// Times of call paths of which not every visit was timed (event::SampledPath): estimated, so that nothing is negative
// and everything still adds up to what was measured.
#ifndef EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_
#define EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_

#include <cstdint>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::archive {

struct SampledNode {
  uint64_t untimed = 0;  // visits that were counted alone
  double variance = 0;   // of the node's ticks, as they are estimated
  uint64_t since = 0;    // ticks, when it began; 0: never
  bool dropped = false;
  uint64_t dropped_since = 0;
  uint64_t dropped_calls = 0;
};

// Puts estimates into `ticks` (and `squares`) of the nodes; Node::parent is an index into them, parents come first.
// `open`: visits of each node that were open, which have been added to it. `bias`: what a timed visit measures more
// than an untimed one takes.
std::vector<SampledNode> EstimateSampled(std::vector<event::Node>* nodes, const std::vector<uint64_t>& open,
                                         double bias);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_
