// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wrong_order.h"

namespace epik::patterns {

const PatternInfo kWrongOrderSameInfo = {
    "mpi_lswo_same",
    "mpi_latesender_wo",
    "From same source",
    "The part of Messages in Wrong Order whose earlier message came from the same process.",
    "One process sends in another order than the other one receives.",
    "Send in the order in which it is received, or the other way round."};

std::unique_ptr<Pattern> MakeWrongOrderSame(uint32_t number, Severities* severities) {
  return std::make_unique<WrongOrderPattern>(kWrongOrderSameInfo, number, severities, Sources::kSame);
}

}  // namespace epik::patterns
