// SPDX-License-Identifier: BSD-3-Clause
// Chains of causes of the largest waits: A waited for B, B had waited for C, and C took longer.
#ifndef EPIK_ANALYSIS_CAUSES_CHAINS_H_
#define EPIK_ANALYSIS_CAUSES_CHAINS_H_

#include <cstdint>
#include <vector>

#include "analysis/causes/delays.h"

namespace epik::causes {

struct Chain {
  Group waits;     // the chain explains these waits …
  int64_t ns = 0;  // … and how long they are
  uint64_t instances = 0;
  // A step of a chain: a cause of the waits before it. All causes but the last one `waited` themselves. The last one is
  // the action that most of the time comes from, by this way and all others.
  struct Link {
    Cause cause;
    int64_t ns = 0;    // the part of the chain's time that has this cause, of the last one by all ways
    int64_t more = 0;  // how much longer this location took
  };
  std::vector<Link> links;
};

// Finds a chain for each flow.
std::vector<Chain> FindChains(const Delays& delays);

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_CHAINS_H_
