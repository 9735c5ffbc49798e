// SPDX-License-Identifier: BSD-3-Clause
// Sizes of data types, asked so that no error handler of the program's is ever called.
//
// MPICH complains of a handle that was freed. A type may be freed while we ask for its size: by another thread, as soon
// as the message that was sent with it has arrived. And before a call nobody knows whether its type is valid. So the
// size of each derived type is noted when the type is committed.
#ifndef EPIK_ADAPTERS_MPI_TYPES_H_
#define EPIK_ADAPTERS_MPI_TYPES_H_

#include <mpi.h>

#include <cstdint>

#include "adapters/mpi/pmpi.h"
#include "flavour.h"
#include "runtime/base/compiler.h"

namespace epik::mpi {

// MPI is up: types that are there from the beginning, and whose handles do not hold their sizes.
void KnowTypes();
// A type that the program may communicate with, and one that it frees. Its size is known for a while after that.
void CommittedType(MPI_Datatype type);
void FreedType(MPI_Datatype type);

// False: not known.
bool FindSize(MPI_Datatype type, uint64_t* size);

// Of a type that a call has accepted. Null handles have no size.
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

// Before the call. False: this may be no type.
inline bool SizeOf(MPI_Datatype type, uint64_t* size) {
  if (HoldsSize(type, size)) return true;
  if (!IsType(type)) return false;
  if constexpr (kChecksTypes) return FindSize(type, size);
  *size = SizeOf(type);
  return true;
}

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_TYPES_H_
