/* SPDX-License-Identifier: BSD-3-Clause */
/* Three iterations of a phase, and parameters of both types in them. */
#include <mpi.h>

#include "epik/epik.h"

int main(int argc, char** argv) {
  static const char* const kMethods[] = {"a=1", "b=1", "c=1"};
  EPIK_USER_REG(step, "step");
  MPI_Init(&argc, &argv);
  for (int n = 0; n < 3; ++n) {
    EPIK_PHASE_START(step, n);
    EPIK_PARAMETER("size", 10 * n - 5);
    epik_parameter_string("method", kMethods[n]);
    MPI_Barrier(MPI_COMM_WORLD);
    EPIK_PHASE_END(step);
  }
  MPI_Finalize();
  return 0;
}
