// SPDX-License-Identifier: BSD-3-Clause
#include "flavour.h"

#include <cstdio>

#include "adapters/mpi/pmpi.h"

namespace epik::mpi {

Constants constants;

// Fortran's buffers reach the C binding, which knows MPI_IN_PLACE; so only the statuses' constants are needed here.
void FindConstants() {
  constants.fortran_status_ignore = FindDatum("MPIR_F08_MPI_STATUS_IGNORE_OBJ");
  constants.file_of = reinterpret_cast<decltype(constants.file_of)>(FindDatum("PMPI_File_f2c"));
  constants.fortran_statuses_ignore = FindDatum("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
}

bool LacksStatusOfBoth(const char* version) {
  int major = 0, minor = 0;
  const bool is_mpich = std::sscanf(version, "MPICH Version: %d.%d", &major, &minor) == 2;
  return is_mpich && major == 4 && minor == 0;
}

bool LacksStatusOfBoth() {
  static const bool lacks = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    return pmpi.Get_library_version(version, &length) == MPI_SUCCESS && LacksStatusOfBoth(version);
  }();
  return lacks;
}

}  // namespace epik::mpi
