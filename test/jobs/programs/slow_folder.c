/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of the job is on a slow file system: to move a file there takes a second. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((no_instrument_function)) int rename(const char* from, const char* to) {
  if (strstr(from, ".arena") != NULL) sleep(1);
  return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

__attribute__((noinline)) static void start(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  __asm__("");
}

int main(int argc, char** argv) {
  start(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Finalize();
}
