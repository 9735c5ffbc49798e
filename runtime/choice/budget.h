// SPDX-License-Identifier: BSD-3-Clause
// EPK_BUDGET: keeps the cost of measuring a thread below a share of its CPU time, as far as possible.
#ifndef EPIK_RUNTIME_CHOICE_BUDGET_H_
#define EPIK_RUNTIME_CHOICE_BUDGET_H_

#include <cstdint>

#include "runtime/choice/sampled_paths.h"
#include "runtime/episode/part.h"
#include "runtime/event/layout.h"

namespace epik::choice {

void StartBudget(double share, double ticks_of_ns, bool patch);

void SetHotCosts(const HotCosts& costs);

// Compares the location's cost since the last look with the budget, if that look was long enough ago. If the cost is
// too high, samples call paths and drops those that are sampled already, hottest and shortest first. `entering`: a
// function that is about to get a frame; 0: none. REQUIRES: as SamplePath.
void SpendLess(event::Location* location, uint64_t now, event::Key entering);

extern const episode::Part budget_part;

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_BUDGET_H_
