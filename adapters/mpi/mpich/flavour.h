// SPDX-License-Identifier: BSD-3-Clause
// Properties of MPICH and compatible MPIs: handles are numbers, and Fortran has the same ones.
#ifndef EPIK_ADAPTERS_MPI_MPICH_FLAVOUR_H_
#define EPIK_ADAPTERS_MPI_MPICH_FLAVOUR_H_

#include <mpi.h>

#include <cstdint>

namespace epik::mpi {

// The names of Debian and of MPICH itself.
inline constexpr const char* kLibraries[] = {"libmpich.so.12", "libmpi.so.12", "libmpichfort.so.12",
                                             "libmpifort.so.12"};

struct Constants {
  const void* fortran_in_place;
  const void* fortran_status_ignore;
  const void* fortran_statuses_ignore;
  decltype(&PMPI_File_f2c) file_of;
};
extern Constants constants;
// A predefined handle.
#define EPIK_NAMED(handle, datum) (handle)
// Some Fortran bindings pass descriptors of buffers; all of them go on to C, which is wrapped.
inline constexpr bool kFortranPassesAddresses = false;
void FindConstants();

// Whether MPI_Cancel has an effect on sends.
inline constexpr bool kCancelsSends = true;

// Whether threads may make communicators at once, while others wait for those threads.
inline constexpr bool kMakesCommsAtOnce = true;

// Whether requests of MPI_Isendrecv have the status of an earlier request, as in MPICH 4.0. The version is that of the
// library that the program runs with, as MPI_Get_library_version tells it.
bool LacksStatusOfBoth(const char* version);
bool LacksStatusOfBoth();

// The place of the first request of several, as `use mpi_f08` tells it: 1, or that of C, as in MPICH 4.0. It asks MPI,
// once.
int FirstPlaceOfFortran();

inline MPI_Comm World() { return MPI_COMM_WORLD; }
inline MPI_Comm Self() { return MPI_COMM_SELF; }
inline MPI_Comm NoComm() { return MPI_COMM_NULL; }
inline MPI_Datatype Byte() { return MPI_BYTE; }
inline MPI_Errhandler ErrorsReturn() { return MPI_ERRORS_RETURN; }
inline MPI_Op NoOp() { return MPI_NO_OP; }

inline uint64_t StatusBytes(const MPI_Status& status) {
  const auto high = static_cast<uint32_t>(status.count_hi_and_cancelled) >> 1;
  return uint64_t{high} << 32 | static_cast<uint32_t>(status.count_lo);
}
inline bool WasCancelled(const MPI_Status& status) { return (status.count_hi_and_cancelled & 1) != 0; }

inline MPI_Comm CommOf(MPI_Fint comm) { return comm; }
inline MPI_Group GroupOf(MPI_Fint group) { return group; }
inline MPI_Op OpOf(MPI_Fint op) { return op; }
inline MPI_Datatype TypeOf(MPI_Fint type) { return type; }

inline MPI_Win WinOf(MPI_Win window) { return window; }

// Files are pointers here, too: they belong to ROMIO, which other MPIs also use.
inline MPI_File FileOf(MPI_File file) { return file; }
inline MPI_File FileOf(MPI_Fint file) { return constants.file_of == nullptr ? MPI_FILE_NULL : constants.file_of(file); }
inline uint64_t FileKey(MPI_File file) { return reinterpret_cast<uint64_t>(file); }

// Recognizes a type: the upper bits of a handle tell the kind of its object, and how to find it.
inline constexpr uint32_t kTypeKind = 3;
inline constexpr uint32_t kPredefined = 1;
inline bool IsType(MPI_Datatype type) {
  const uint32_t handle = static_cast<uint32_t>(type);
  return (handle >> 26 & 15) == kTypeKind && handle >> 30 != 0;
}
// Handles of most predefined types hold their sizes.
inline bool HoldsSize(MPI_Datatype type, uint64_t* size) {
  const uint32_t handle = static_cast<uint32_t>(type);
  if (handle >> 26 != (kPredefined << 4 | kTypeKind)) return false;
  *size = handle >> 8 & 0xff;
  return true;
}
inline void HoldSizes() {}
// MPICH reads the object of a type when it is asked for its size.
inline constexpr bool kChecksTypes = true;
inline uint64_t TypeKey(MPI_Datatype type) { return static_cast<uint32_t>(type); }
struct PairTypes {
  MPI_Datatype types[5] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT, MPI_SHORT_INT, MPI_LONG_DOUBLE_INT};
  const MPI_Datatype* begin() const { return types; }
  const MPI_Datatype* end() const { return types + 5; }
};
inline PairTypes TypesFromTheBeginning() { return {}; }

// 0 is no handle.
inline uint64_t MessageKey(MPI_Message message) {
  return message == MPI_MESSAGE_NO_PROC || message == MPI_MESSAGE_NULL ? 0 : static_cast<uint32_t>(message);
}
inline MPI_Request RequestOf(MPI_Request request) { return request; }
// Many requests share a predefined handle. MPICH 4 gives it to those that are complete from the beginning.
inline uint64_t RequestKey(MPI_Request request) {
  const uint32_t handle = static_cast<uint32_t>(request);
  return handle >> 30 == kPredefined ? 0 : handle;
}
inline void SetHandle(MPI_Request request, MPI_Request* handle) { *handle = request; }
inline uint64_t WinKey(MPI_Win window) { return window == MPI_WIN_NULL ? 0 : static_cast<uint32_t>(window); }
inline uint64_t KeyOf(MPI_Comm comm) { return static_cast<uint32_t>(comm); }

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_MPICH_FLAVOUR_H_
