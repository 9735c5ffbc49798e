/* SPDX-License-Identifier: BSD-3-Clause
   Processes that wait for some others only: neighbours in a ring, partners of one-sided communication, and operations
   that a test ends. A tiny function that measuring makes slow is called unevenly. `partners ROUNDS`. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

#define OUT __attribute__((no_instrument_function))
#define SMALL __attribute__((noinline))

static volatile unsigned state = 1;
static int rank, ranks, round_;
SMALL void step(void) { state = state * 1664525u + 1013904223u; }
SMALL void work(int calls) {
  for (int i = 0; i < calls; ++i) step();
}

/* Another rank is slow in each round. */
OUT static int uneven(int calls) { return (rank + round_) % ranks == 0 ? 8 * calls : calls; }

SMALL void neighbours(MPI_Comm ring) {
  int in[2], out[2] = {rank, rank};
  MPI_Request request;
  work(uneven(300));
  MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, ring);
  work(uneven(200));
  MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, ring, &request);
  work(uneven(100));
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Pauses grow, so that a partner that the machine holds up for a second makes no trace of gigabytes. */
OUT static useconds_t longer(useconds_t pause) { return pause < 5000 ? 2 * pause : pause; }

SMALL void polling(void) {
  MPI_Request request;
  int done = 0;
  useconds_t pause = 1;
  work(uneven(400));
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  while (!done) {
    work(10);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (!done) usleep(pause);
    pause = longer(pause);
  }
}

SMALL void fences(MPI_Win window) {
  const int next = (rank + 1) % ranks;
  work(uneven(300));
  MPI_Win_fence(0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  work(uneven(200));
  MPI_Win_fence(0, window);
}

/* Each rank writes to the one after it. */
SMALL void epochs(MPI_Win window, MPI_Group before, MPI_Group after) {
  const int next = (rank + 1) % ranks;
  int done = 0;
  work(uneven(200));
  MPI_Win_post(before, 0, window);
  MPI_Win_start(after, 0, window);
  MPI_Put(&rank, 1, MPI_INT, next, 0, 1, MPI_INT, window);
  work(uneven(300));
  MPI_Win_complete(window);
  if (round_ % 2 == 0) {
    MPI_Win_wait(window);
    return;
  }
  for (useconds_t pause = 1; !done; pause = longer(pause)) {
    work(10);
    MPI_Win_test(window, &done);
    if (!done) usleep(pause);
  }
}

SMALL void locks(MPI_Win window) {
  int value = 0;
  work(uneven(100));
  MPI_Win_lock(rank % 2 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, window);
  MPI_Get(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
  work(uneven(100));
  MPI_Win_unlock(0, window);
}

OUT static MPI_Group group_of(int one) {
  MPI_Group all, made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, &one, &made);
  MPI_Group_free(&all);
  return made;
}

OUT int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 4, periodic = 1;
  int* memory = NULL;
  MPI_Comm ring;
  MPI_Win window;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &ring);
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  MPI_Group before = group_of((rank + ranks - 1) % ranks), after = group_of((rank + 1) % ranks);
  for (round_ = 0; round_ < rounds; ++round_) {
    neighbours(ring);
    polling();
    fences(window);
    epochs(window, before, after);
    MPI_Barrier(MPI_COMM_WORLD);
    locks(window);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Group_free(&before);
  MPI_Group_free(&after);
  MPI_Win_free(&window);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
