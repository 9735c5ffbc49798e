// SPDX-License-Identifier: BSD-3-Clause
// EPK_BUDGET: what measuring a thread costs is kept below a share of its CPU time, as far as that can be done.
#ifndef EPIK_RUNTIME_CHOICE_BUDGET_H_
#define EPIK_RUNTIME_CHOICE_BUDGET_H_

#include <cstdint>

#include "runtime/choice/sampled_paths.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::episode {

void StartBudget(double share, double ticks_of_ns, bool patch);

void SetHotCosts(const HotCosts& costs);

// Looks at what the location cost since the last look, if that was long enough ago, and if it was too much samples
// call paths, and those that are sampled already drops: hottest and shortest first. `entering`: a function that is
// about to get a frame; 0: none. REQUIRES: as SamplePath.
void SpendLess(event::Location* location, uint64_t now, event::Key entering);

extern const Part budget_part;

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_CHOICE_BUDGET_H_
