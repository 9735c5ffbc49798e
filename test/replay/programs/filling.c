/* SPDX-License-Identifier: BSD-3-Clause
   Both ranks fill memory. Rank 0 fills much memory that was never touched before, and takes longer, so that rank 1
   waits. */
#include <mpi.h>
#include <sys/mman.h>
#include <time.h>

enum { kPage = 4096, kMany = 2000, kFew = 10 };

static void fill(int pages, int milliseconds) {
  char* memory = mmap(NULL, (size_t)pages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct timespec rest = {0, milliseconds * 1000000L};
  madvise(memory, (size_t)pages * kPage, MADV_NOHUGEPAGE);
  for (int i = 0; i < pages; ++i) memory[(size_t)i * kPage] = 1;
  while (nanosleep(&rest, &rest) != 0) continue;
  munmap(memory, (size_t)pages * kPage);
}

int main(int argc, char** argv) {
  int rank, x = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  fill(rank == 0 ? kMany : kFew, rank == 0 ? 150 : 1);
  if (rank == 0) MPI_Send(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return 0;
}
