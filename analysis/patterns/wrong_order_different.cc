// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/wrong_order.h"

namespace epik::patterns {

const PatternInfo kWrongOrderDifferentInfo = {
    "mpi_lswo_different",
    "mpi_latesender_wo",
    "From different sources",
    "The part of Messages in Wrong Order in which another process sent the earlier message.",
    "A process serves other processes in an order in which they are not ready.",
    "Receive from any process that is ready: use MPI_ANY_SOURCE or MPI_Waitany."};

std::unique_ptr<Pattern> MakeWrongOrderDifferent(uint32_t number, Severities* severities) {
  return std::make_unique<PartOfWrongOrder>(kWrongOrderDifferentInfo, number, severities);
}

}  // namespace epik::patterns
