// SPDX-License-Identifier: BSD-3-Clause
// Properties of Open MPI: handles are pointers to its data; Fortran's handles are indices of its tables.
#ifndef EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_
#define EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/known_sizes.h"

namespace epik::mpi {

inline constexpr const char* kLibraries[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempif08.so.40"};

// The macros of mpi.h name data of the library, to which we are not linked.
struct Constants {
  MPI_Comm world;
  MPI_Comm self;
  MPI_Comm no_comm;
  MPI_Datatype no_type;
  MPI_Datatype byte;
  MPI_Errhandler errors_return;
  MPI_Op no_op;
  MPI_Request empty;       // completed already, and shared by all that need one
  MPI_Message no_process;  // matched by a probe of MPI_PROC_NULL
  const void* fortran_in_place;
  const void* fortran_status_ignore;
  const void* fortran_statuses_ignore;
  decltype(&PMPI_Comm_f2c) comm_of;
  decltype(&PMPI_File_f2c) file_of;
  decltype(&PMPI_Group_f2c) group_of;
  decltype(&PMPI_Message_f2c) message_of;
  decltype(&PMPI_Op_f2c) op_of;
  decltype(&PMPI_Request_f2c) request_of;
  decltype(&PMPI_Request_c2f) request_number;
  decltype(&PMPI_Type_f2c) type_of;
  decltype(&PMPI_Win_f2c) window_of;
  KnownSizes sizes;  // handles hold none
};
extern Constants constants;
// A predefined handle. Used where pmpi.h is included.
#define EPIK_NAMED(handle, datum) reinterpret_cast<decltype(handle)>(FindDatum(datum))
// Choice buffers of all Fortran bindings are addresses.
inline constexpr bool kFortranPassesAddresses = true;
void FindConstants();

// Whether MPI_Cancel has an effect on sends.
inline constexpr bool kCancelsSends = false;

// Whether threads may make communicators at once, while others wait for those threads. The one that is made from the
// oldest communicator comes first in each process, whatever other processes wait for.
inline constexpr bool kMakesCommsAtOnce = false;

// Whether requests of MPI_Isendrecv have the status of an earlier request.
constexpr bool LacksStatusOfBoth() { return false; }

// The place of the first request of several, as the wrapped bindings of Fortran tell it.
constexpr int FirstPlaceOfFortran() { return 1; }

inline MPI_Comm World() { return constants.world; }
inline MPI_Comm Self() { return constants.self; }
inline MPI_Comm NoComm() { return constants.no_comm; }
inline MPI_Datatype Byte() { return constants.byte; }
inline MPI_Errhandler ErrorsReturn() { return constants.errors_return; }
inline MPI_Op NoOp() { return constants.no_op; }

inline uint64_t StatusBytes(const MPI_Status& status) { return status._ucount; }
inline bool WasCancelled(const MPI_Status& status) { return status._cancelled != 0; }

inline MPI_Comm CommOf(MPI_Comm comm) { return comm; }
inline MPI_Comm CommOf(MPI_Fint comm) { return constants.comm_of(comm); }
inline MPI_Group GroupOf(MPI_Fint group) { return constants.group_of(group); }
inline MPI_Op OpOf(MPI_Fint op) { return constants.op_of(op); }
inline MPI_Datatype TypeOf(MPI_Fint type) { return constants.type_of(type); }

inline MPI_File FileOf(MPI_File file) { return file; }
inline MPI_File FileOf(MPI_Fint file) { return constants.file_of(file); }
inline uint64_t FileKey(MPI_File file) { return reinterpret_cast<uint64_t>(file); }
inline MPI_Win WinOf(MPI_Win window) { return window; }
inline MPI_Win WinOf(MPI_Fint window) { return constants.window_of(window); }

// Whether MPI accepts the handle when it is asked for its size.
inline bool IsType(MPI_Datatype type) { return type != nullptr && type != constants.no_type; }
inline bool HoldsSize(MPI_Datatype type, uint64_t* size) { return constants.sizes.Find(type, size); }
// MPI is up.
void HoldSizes();
// Open MPI refuses only a null handle.
inline constexpr bool kChecksTypes = false;
inline uint64_t TypeKey(MPI_Datatype type) { return reinterpret_cast<uint64_t>(type); }
struct NoTypes {
  const MPI_Datatype* begin() const { return nullptr; }
  const MPI_Datatype* end() const { return nullptr; }
};
inline NoTypes TypesFromTheBeginning() { return {}; }

inline uint64_t MessageKey(MPI_Message message) {
  return message == constants.no_process ? 0 : reinterpret_cast<uint64_t>(message);
}
inline uint64_t MessageKey(MPI_Fint message) { return MessageKey(constants.message_of(message)); }
inline uint64_t RequestKey(MPI_Request request) {
  return request == constants.empty ? 0 : reinterpret_cast<uint64_t>(request);
}
inline MPI_Request RequestOf(MPI_Request request) { return request; }
inline MPI_Request RequestOf(MPI_Fint request) { return constants.request_of(request); }
inline uint64_t RequestKey(MPI_Fint request) { return RequestKey(constants.request_of(request)); }
inline void SetHandle(MPI_Request request, MPI_Request* handle) { *handle = request; }
inline void SetHandle(MPI_Request request, MPI_Fint* handle) { *handle = constants.request_number(request); }
inline uint64_t KeyOf(MPI_Comm comm) { return reinterpret_cast<uint64_t>(comm); }
inline uint64_t WinKey(MPI_Win window) { return reinterpret_cast<uint64_t>(window); }

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_OPENMPI_FLAVOUR_H_
