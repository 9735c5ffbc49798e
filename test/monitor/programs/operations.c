// SPDX-License-Identifier: BSD-3-Clause
// Prints which of MPI's operations MPI does for which of its types, on a communicator that returns errors.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
#define NAMED(x) \
  { x, #x }
  const struct {
    MPI_Datatype type;
    const char* name;
  } types[] = {NAMED(MPI_CHAR),
               NAMED(MPI_SIGNED_CHAR),
               NAMED(MPI_UNSIGNED_CHAR),
               NAMED(MPI_SHORT),
               NAMED(MPI_UNSIGNED_SHORT),
               NAMED(MPI_INT),
               NAMED(MPI_UNSIGNED),
               NAMED(MPI_LONG),
               NAMED(MPI_UNSIGNED_LONG),
               NAMED(MPI_LONG_LONG),
               NAMED(MPI_UNSIGNED_LONG_LONG),
               NAMED(MPI_INT8_T),
               NAMED(MPI_UINT8_T),
               NAMED(MPI_INT16_T),
               NAMED(MPI_UINT16_T),
               NAMED(MPI_INT32_T),
               NAMED(MPI_UINT32_T),
               NAMED(MPI_INT64_T),
               NAMED(MPI_UINT64_T),
               NAMED(MPI_AINT),
               NAMED(MPI_OFFSET),
               NAMED(MPI_COUNT),
               NAMED(MPI_INTEGER),
               NAMED(MPI_INTEGER1),
               NAMED(MPI_INTEGER2),
               NAMED(MPI_INTEGER4),
               NAMED(MPI_INTEGER8),
               NAMED(MPI_FLOAT),
               NAMED(MPI_DOUBLE),
               NAMED(MPI_LONG_DOUBLE),
               NAMED(MPI_REAL),
               NAMED(MPI_REAL4),
               NAMED(MPI_REAL8),
               NAMED(MPI_DOUBLE_PRECISION),
               NAMED(MPI_C_BOOL),
               NAMED(MPI_CXX_BOOL),
               NAMED(MPI_LOGICAL),
               NAMED(MPI_C_FLOAT_COMPLEX),
               NAMED(MPI_C_DOUBLE_COMPLEX),
               NAMED(MPI_C_LONG_DOUBLE_COMPLEX),
               NAMED(MPI_CXX_FLOAT_COMPLEX),
               NAMED(MPI_CXX_DOUBLE_COMPLEX),
               NAMED(MPI_CXX_LONG_DOUBLE_COMPLEX),
               NAMED(MPI_COMPLEX),
               NAMED(MPI_COMPLEX8),
               NAMED(MPI_COMPLEX16),
               NAMED(MPI_DOUBLE_COMPLEX),
               NAMED(MPI_BYTE),
               NAMED(MPI_WCHAR),
               NAMED(MPI_CHARACTER),
               NAMED(MPI_PACKED),
               NAMED(MPI_FLOAT_INT),
               NAMED(MPI_DOUBLE_INT),
               NAMED(MPI_LONG_INT),
               NAMED(MPI_SHORT_INT),
               NAMED(MPI_LONG_DOUBLE_INT),
               NAMED(MPI_2INT),
               NAMED(MPI_2INTEGER),
               NAMED(MPI_2REAL),
               NAMED(MPI_2DOUBLE_PRECISION)};
  const struct {
    MPI_Op op;
    const char* name;
  } ops[] = {NAMED(MPI_MAX),    NAMED(MPI_MIN),    NAMED(MPI_SUM),     NAMED(MPI_PROD), NAMED(MPI_LAND),
             NAMED(MPI_LOR),    NAMED(MPI_LXOR),   NAMED(MPI_BAND),    NAMED(MPI_BOR),  NAMED(MPI_BXOR),
             NAMED(MPI_MAXLOC), NAMED(MPI_MINLOC), NAMED(MPI_REPLACE), NAMED(MPI_NO_OP)};
  for (unsigned t = 0; t < sizeof types / sizeof *types; ++t) {
    for (unsigned o = 0; o < sizeof ops / sizeof *ops; ++o) {
      char from[64] = {0}, to[64] = {0};
      int class = MPI_SUCCESS;
      const int error = MPI_Allreduce(from, to, 1, types[t].type, ops[o].op, comm);
      if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
      if (rank == 0) printf("%s %s: class %d\n", types[t].name, ops[o].name, class);
    }
  }
  MPI_Comm_free(&comm);
  MPI_Finalize();
  return 0;
}
