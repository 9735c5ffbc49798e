// SPDX-License-Identifier: BSD-3-Clause
// Sizes of data types, found in a way that never calls an error handler of the program.
//
// MPICH reports an error for a freed handle. Another thread may free a type while we ask for its size, as soon as the
// message with it has arrived. And before a call its type may be invalid. So the size of each derived type is noted
// when the type is committed.
#ifndef EPIK_ADAPTERS_MPI_TYPES_H_
#define EPIK_ADAPTERS_MPI_TYPES_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/compiler.h"

namespace epik::mpi {

// MPI is up: notes the sizes of predefined types whose handles do not hold them.
void KnowTypes();
// The program commits a type, or frees one. The size of a freed type stays known for a while.
void CommittedType(MPI_Datatype type);
void FreedType(MPI_Datatype type);

// False: not known.
bool FindSize(MPI_Datatype type, uint64_t* size);

// The size of a type that a call has accepted. Null handles have no size.
inline uint64_t SizeOf(MPI_Datatype type) {
  uint64_t size = 0;
  if (HoldsSize(type, &size) || !IsType(type)) return size;
  if constexpr (kChecksTypes) {
    if (FindSize(type, &size)) return size;
  }
  MPI_Count asked = 0;
  pmpi.Type_size_x(type, &asked);
  return static_cast<uint64_t>(asked);
}

// The size before the call. False: the handle may be no type.
inline bool SizeOf(MPI_Datatype type, uint64_t* size) {
  if (HoldsSize(type, size)) return true;
  if (!IsType(type)) return false;
  if constexpr (kChecksTypes) return FindSize(type, size);
  *size = SizeOf(type);
  return true;
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TYPES_H_
