// SPDX-License-Identifier: BSD-3-Clause
// Estimates the times of call paths for which some visits were counted but not timed (event::SampledPath). No estimate
// is negative, and the sums over the call tree stay as measured.
#ifndef EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_
#define EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_

#include <cstdint>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::archive {

struct SampledNode {
  uint64_t untimed = 0;  // visits that were counted but not timed
  double variance = 0;   // of the estimated ticks
  uint64_t since = 0;    // when sampling began, in ticks; 0: never
  bool dropped = false;
  uint64_t dropped_since = 0;
  uint64_t dropped_calls = 0;
  uint32_t batches = 0;               // of windows that measured the price of a visit (event::ProbedPath); 0: none
  double price = 0, price_error = 0;  // ticks
};

// Puts estimates into `ticks` and `squares` of the nodes. Node::parent is an index into `nodes`, and parents come
// first. `open` has for each node how many of its visits were still open; they are included in the node. `bias`: a
// timed visit measures this many ticks more than an untimed visit takes. `folded`: for each node, the one that it
// belongs to (archive/image/folded.h); empty: no node is folded. The result is empty if no node was sampled or dropped.
std::vector<SampledNode> EstimateSampled(std::vector<event::Node>* nodes, const std::vector<uint32_t>& open,
                                         double bias, const std::vector<uint32_t>& folded = {});

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_SAMPLED_TIMES_H_
