// SPDX-License-Identifier: BSD-3-Clause
// Chains of causes of the largest waits: A waited for B, B had waited for C, and C took longer.
#ifndef EPIK_ANALYSIS_CAUSES_CHAINS_H_
#define EPIK_ANALYSIS_CAUSES_CHAINS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/causes/delays.h"

namespace epik::causes {

struct Chain {
  Group waits;     // whose waits this tells of …
  int64_t ns = 0;  // … and how long they are
  uint64_t instances = 0;
  // The largest cause of each: `waited` but for the last one.
  struct Link {
    Cause cause;
    int64_t ns = 0;    // of the chain's time that goes this way
    int64_t more = 0;  // how much longer it took
  };
  std::vector<Link> links;
};

// Finds the chains of the `most` largest groups of waits. Of MPI_Init there are none: who comes late there had not
// begun.
std::vector<Chain> FindChains(const Delays& delays, size_t most);

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_CHAINS_H_
