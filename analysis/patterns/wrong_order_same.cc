// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wrong_order.h"

namespace epik::patterns {

const PatternInfo kWrongOrderSameInfo = {
    "mpi_lswo_same",
    "mpi_latesender_wo",
    "From same source",
    "The part of Messages in Wrong Order in which the same process sent the earlier message.",
    "One process sends in another order than the other one receives.",
    "Send messages in the order in which the other process receives them, or receive them in the order in which "
    "they are sent."};

std::unique_ptr<Pattern> MakeWrongOrderSame(uint32_t number, Severities* severities) {
  return std::make_unique<PartOfWrongOrder>(kWrongOrderSameInfo, number, severities);
}

}  // namespace epik::patterns
