// SPDX-License-Identifier: BSD-3-Clause
#include "flavour.h"

#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

Constants constants;

// Fortran's buffers reach the C binding, which knows MPI_IN_PLACE; so only the statuses' constants are needed here.
void FindConstants() {
  constants.fortran_status_ignore = FindDatum("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  constants.file_of = reinterpret_cast<decltype(constants.file_of)>(FindDatum("PMPI_File_f2c"));
  constants.fortran_statuses_ignore = FindDatum("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
}

}  // namespace epik::mpi
