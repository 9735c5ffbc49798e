// SPDX-License-Identifier: BSD-3-Clause
// Converts Fortran's arguments to C's, only for records: the real routine gets the original arguments.
#ifndef EPIK_ADAPTERS_MPI_FORTRAN_H_
#define EPIK_ADAPTERS_MPI_FORTRAN_H_

#include "flavour.h"

namespace epik::mpi {

// These take addresses of handles; the flavour converts the values.
inline MPI_Comm CommOf(const void* comm) { return CommOf(*static_cast<const MPI_Fint*>(comm)); }
inline MPI_Group GroupOf(const void* group) { return GroupOf(*static_cast<const MPI_Fint*>(group)); }
inline MPI_Win WinOf(const void* window) { return WinOf(*static_cast<const MPI_Fint*>(window)); }
inline MPI_File FileOf(const void* file) { return FileOf(*static_cast<const MPI_Fint*>(file)); }
inline MPI_Op OpOf(const void* op) { return OpOf(*static_cast<const MPI_Fint*>(op)); }
inline MPI_Datatype TypeOf(const void* type) { return TypeOf(*static_cast<const MPI_Fint*>(type)); }

inline const void* Buffer(const void* given) {
  return given != nullptr && given == constants.fortran_in_place ? MPI_IN_PLACE : given;
}

class TypeList {
 public:
  explicit TypeList(const void* types) : types_(static_cast<const MPI_Fint*>(types)) {}
  MPI_Datatype operator[](int place) const { return TypeOf(types_[place]); }

 private:
  const MPI_Fint* types_;
};

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_FORTRAN_H_
