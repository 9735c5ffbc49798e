// SPDX-License-Identifier: BSD-3-Clause
// Ranks that work until the file "stop" is there. How often each has begun to is in the file "count.RANK".
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile long *count;
static volatile long sink;

void work(void) {
  ++*count;
  for (int i = 0; i < 1000; ++i) sink += i;
}

int main(int argc, char **argv) {
  char name[32];
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  snprintf(name, sizeof name, "count.%d", rank);
  const int fd = open(name, O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 1;
  count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  MPI_Barrier(MPI_COMM_WORLD);
  while (access("stop", F_OK) != 0) {
    const struct timespec pause = {0, 2000000};
    for (int i = 0; i < 10; ++i) work();
    nanosleep(&pause, NULL);
  }
  MPI_Finalize();
  if (rank == 0) printf("stopped\n");
  return 0;
}
