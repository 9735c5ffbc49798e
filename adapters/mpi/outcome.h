// SPDX-License-Identifier: BSD-3-Clause
// How a call or a request ended. A message that was too long for its receive is no receive for the program, but the
// next receive does not find it any more.
#ifndef EPIK_ADAPTERS_MPI_OUTCOME_H_
#define EPIK_ADAPTERS_MPI_OUTCOME_H_

#include <mpi.h>

#include <cstdint>

#include "flavour.h"
#include "runtime/base/compiler.h"

namespace epik::mpi {

enum class Outcome : uint8_t { kGood, kTruncated, kFailed };

EPIK_COLD Outcome OutcomeOfError(int error);
EPIK_HOT Outcome OutcomeOf(int result) {
  return EPIK_LIKELY(result == MPI_SUCCESS) ? Outcome::kGood : OutcomeOfError(result);
}

// Whether a receive has taken a message away; the same for a request that may have been cancelled.
EPIK_HOT bool TookMessage(int result) { return OutcomeOf(result) != Outcome::kFailed; }
EPIK_HOT bool HasMessage(const MPI_Status& status, Outcome outcome) {
  return outcome == Outcome::kTruncated || (outcome == Outcome::kGood && !WasCancelled(status));
}

// Whether a collective operation may have begun: MPI looks at the arguments before.
EPIK_COLD bool TookPart(int error);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_OUTCOME_H_
