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

namespace {

// A request that needs no communicator: programs may have sessions alone.
MPI_Request CompletedRequest() {
  const auto query = [](void*, MPI_Status* status) { return *status = {}, MPI_SUCCESS; };
  const auto free = [](void*) { return MPI_SUCCESS; };
  const auto cancel = [](void*, int) { return MPI_SUCCESS; };
  MPI_Request request = MPI_REQUEST_NULL;
  if (pmpi.Grequest_start(query, free, cancel, nullptr, &request) != MPI_SUCCESS) return MPI_REQUEST_NULL;
  pmpi.Grequest_complete(request);
  return request;
}

// The place that `use mpi_f08` gives the only request of a list.
int AskedPlace() {
  constexpr int kUsual = 1;
  using Waitany = void(const MPI_Fint* count, MPI_Request*, MPI_Fint* place, MPI_Status*, MPI_Fint* error);
  auto* waitany = reinterpret_cast<Waitany*>(FindNext("mpi_waitany_f08_"));
  MPI_Request request = waitany == nullptr ? MPI_REQUEST_NULL : CompletedRequest();
  if (request == MPI_REQUEST_NULL) return kUsual;
  const MPI_Fint count = 1;
  MPI_Fint place = kUsual, error = MPI_SUCCESS;
  MPI_Status status = {};
  waitany(&count, &request, &place, &status, &error);
  return error == MPI_SUCCESS && place == 0 ? 0 : kUsual;
}

}  // namespace

int FirstPlaceOfFortran() {
  static const int first = AskedPlace();
  return first;
}

}  // namespace epik::mpi
