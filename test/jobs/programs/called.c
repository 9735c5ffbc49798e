// SPDX-License-Identifier: BSD-3-Clause
// MPI calls a function of the program, which aborts: an error handler, or an operation.
#include <mpi.h>
#include <string.h>

static void handle(MPI_Comm* comm, int* error, ...) {
  (void)error;
  MPI_Abort(*comm, 7);
}

static void operate(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)in, (void)inout, (void)count, (void)type;
  MPI_Abort(MPI_COMM_WORLD, 7);
}

int main(int argc, char** argv) {
  int size, mine = 0, all = 0;
  MPI_Errhandler handler;
  MPI_Op operation;
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Op_create(operate, 1, &operation);
  if (strcmp(argv[1], "handler") == 0) MPI_Send(&mine, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
  MPI_Reduce_local(&mine, &all, 1, MPI_INT, operation);
  MPI_Finalize();
}
