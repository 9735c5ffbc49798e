// SPDX-License-Identifier: BSD-3-Clause
// Each rank counts its own: rank + 1 units of work (fake_papi.c), (rank + 1) * 20 fresh pages. Then all meet.
#define _GNU_SOURCE
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

static unsigned long done;
__attribute__((no_instrument_function)) unsigned long work_of_thread(void) { return done; }

__attribute__((noinline, noclone)) void toil(int units) { done += (unsigned long)units; }

__attribute__((noinline, noclone)) void touch(volatile char* at, int count) {
  for (int i = 0; i < count; ++i) at[i * 4096] = 1;
}

__attribute__((noinline, noclone)) void meet(void) { MPI_Barrier(MPI_COMM_WORLD); }

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int pages = (rank + 1) * 20;
  char* fresh = mmap(NULL, (size_t)pages * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  madvise(fresh, (size_t)pages * 4096, MADV_NOHUGEPAGE);
  toil(0);
  touch(fresh, 0);
  toil(rank + 1);
  touch(fresh, pages);
  meet();
  MPI_Finalize();
  return 0;
}
