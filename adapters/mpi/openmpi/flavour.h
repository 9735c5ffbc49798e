// SPDX-License-Identifier: BSD-3-Clause
// What is particular to Open MPI: handles are pointers to its data, Fortran's are numbers of its tables.
#ifndef EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_
#define EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

inline constexpr const char* kLibraries[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};

// mpi.h's macros name data of the library, which we are not linked to.
struct Constants {
  MPI_Comm world;
  MPI_Datatype byte;
  MPI_Errhandler errors_return;
  MPI_Op no_op;
  MPI_Request empty;  // completed already, and shared by all that need one
  const void* fortran_in_place;
  const void* fortran_status_ignore;
  const void* fortran_statuses_ignore;
  decltype(&PMPI_Comm_f2c) comm_of;
  decltype(&PMPI_Op_f2c) op_of;
  decltype(&PMPI_Request_f2c) request_of;
  decltype(&PMPI_Type_f2c) type_of;
};
extern Constants constants;
void FindConstants();

inline MPI_Comm World() { return constants.world; }
inline MPI_Datatype Byte() { return constants.byte; }
inline MPI_Errhandler ErrorsReturn() { return constants.errors_return; }
inline MPI_Op NoOp() { return constants.no_op; }

inline uint64_t StatusBytes(const MPI_Status& status) { return status._ucount; }
inline bool WasCancelled(const MPI_Status& status) { return status._cancelled != 0; }

inline MPI_Comm CommOf(MPI_Comm comm) { return comm; }
inline MPI_Comm CommOf(MPI_Fint comm) { return constants.comm_of(comm); }
inline MPI_Op OpOf(MPI_Fint op) { return constants.op_of(op); }
inline MPI_Datatype TypeOf(MPI_Fint type) { return constants.type_of(type); }

inline uint64_t RequestKey(MPI_Request request) {
  return request == constants.empty ? 0 : reinterpret_cast<uint64_t>(request);
}
inline uint64_t RequestKey(MPI_Fint request) { return RequestKey(constants.request_of(request)); }
inline uint64_t KeyOf(MPI_Comm comm) { return reinterpret_cast<uint64_t>(comm); }

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_
