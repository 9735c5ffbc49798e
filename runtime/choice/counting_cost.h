// SPDX-License-Identifier: BSD-3-Clause
// What it takes to count a visit without timing it: measured again and again, because a busy neighbour on the same core
// makes it slower.
#ifndef EPIK_RUNTIME_CHOICE_COUNTING_COST_H_
#define EPIK_RUNTIME_CHOICE_COUNTING_COST_H_

namespace epik::choice {

// REQUIRES: an arena, and HasProbes().
void StartCountingCost();

// Returns the ticks now, without the loop that calls the hooks; what another thread found, if it measures right now.
// Takes about 2 microseconds.
float CostOfCounting();

void ForgetCountingCost();

}  // namespace epik::choice

#endif  // EPIK_RUNTIME_CHOICE_COUNTING_COST_H_
