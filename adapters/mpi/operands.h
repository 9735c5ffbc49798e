// SPDX-License-Identifier: BSD-3-Clause
// The reductions that EPIK can do itself: those that MPI defines, and the program's own operations. EPIK leaves all
// others to MPI, which reports their errors.
#ifndef EPIK_ADAPTERS_MPI_OPERANDS_H_
#define EPIK_ADAPTERS_MPI_OPERANDS_H_

#include <mpi.h>

#include <cstddef>

namespace epik::mpi {

// Looks up the predefined handles, once MPI is up.
void KnowOperands();

MPI_Datatype PackedType();
MPI_Datatype IntType();
MPI_Op BandOp();
MPI_Request NoRequest();

// Whether the operation is defined for the type. The answer is the same in all processes if the program passes valid
// arguments.
bool IsDefined(MPI_Op op, MPI_Datatype type);
bool Commutes(MPI_Op op);

// The memory of some elements, seen from the address that MPI is given.
struct Extent {
  ptrdiff_t low = 0;      // first byte
  ptrdiff_t high = 0;     // first byte behind the last
  bool is_solid = false;  // without holes

  size_t bytes() const { return static_cast<size_t>(high - low); }
};
Extent ExtentOf(int count, MPI_Datatype type);

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_OPERANDS_H_
