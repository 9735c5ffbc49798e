// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/mpi/outcome.h"

#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

namespace {

int ClassOf(int error) {
  int of = error;
  pmpi.Error_class(error, &of);
  return of;
}

}  // namespace

Outcome OutcomeOfError(int error) {
  return ClassOf(error) == MPI_ERR_TRUNCATE ? Outcome::kTruncated : Outcome::kFailed;
}

bool TookPart(int error) {
  switch (ClassOf(error)) {
    case MPI_ERR_ARG:
    case MPI_ERR_BUFFER:
    case MPI_ERR_COMM:
    case MPI_ERR_COUNT:
    case MPI_ERR_OP:
    case MPI_ERR_RANK:
    case MPI_ERR_ROOT:
    case MPI_ERR_TYPE: return false;
    default: return true;
  }
}

}  // namespace epik::mpi
