// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/contention.h"

namespace epik::patterns {

const PatternInfo kOrderedContentionInfo = {
    "omp_lock_contention_ordered",
    "omp_ordered",
    "Wait in Ordered",
    "A thread that asks for its turn in an ordered construct waits from its enter until the thread that had the "
    "turn before gives it back, if that is later.",
    "A thread waits for the iteration before its own.",
    "Do less in the ordered part, or give threads single iterations in turn: schedule(static, 1)."};

std::unique_ptr<Pattern> MakeOrderedContention(uint32_t number, Severities* severities) {
  return std::make_unique<Contention>(kOrderedContentionInfo, number, severities, replay::Role::kOrdered);
}

}  // namespace epik::patterns
