// SPDX-License-Identifier: BSD-3-Clause
// Messages that are seen more than once before they are received, and receives that are cancelled in front of others:
// probes ROUNDS MICROSECONDS. Needs 2 ranks. Each message is late.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

static int rank, in[16], out[16];
static double late;
static MPI_Status status;
static MPI_Comm world;

static void Send(int tag) {
  const struct timespec pause = {0, (long)(late * 1e9)};
  nanosleep(&pause, NULL);
  MPI_Send(out, 1, MPI_INT, 1, tag, world);
}

static void Recv(int tag) { MPI_Recv(in, 16, MPI_INT, 0, tag, world, &status); }

static void SeenTwice(int tag) {
  MPI_Probe(0, tag, world, &status);
  MPI_Probe(0, tag, world, &status);
  Recv(tag);
  Recv(tag);
}

static void LastFirst(int tag) {
  MPI_Message first, second;
  MPI_Mprobe(0, tag, world, &first, &status);
  MPI_Mprobe(0, tag, world, &second, &status);
  MPI_Mrecv(in, 16, MPI_INT, &second, &status);
  MPI_Mrecv(in, 16, MPI_INT, &first, &status);
}

static void SeenBehind(int tag) {
  MPI_Message first;
  MPI_Mprobe(0, tag, world, &first, &status);
  MPI_Probe(0, tag, world, &status);
  MPI_Mrecv(in, 16, MPI_INT, &first, &status);
  Recv(tag);
}

static void SeenAndMatched(int tag) {
  MPI_Message first;
  MPI_Probe(0, tag, world, &status);
  MPI_Mprobe(0, tag, world, &first, &status);
  MPI_Mrecv(in, 16, MPI_INT, &first, &status);
  Recv(tag);
}

static void SeenAndPosted(int tag) {
  MPI_Request request;
  MPI_Probe(0, tag, world, &status);
  MPI_Irecv(in, 16, MPI_INT, 0, tag, world, &request);
  MPI_Recv(in + 8, 8, MPI_INT, 0, tag, world, &status);
  MPI_Wait(&request, &status);
}

static void Cancelled(int tag) {
  MPI_Request first, second;
  MPI_Irecv(in, 8, MPI_INT, 0, tag, world, &first);
  MPI_Irecv(in + 8, 8, MPI_INT, 0, tag, world, &second);
  MPI_Cancel(&first);
  MPI_Wait(&second, &status);
  MPI_Wait(&first, &status);
  Recv(tag);
}

static void (*const kinds[])(int tag) = {SeenTwice, LastFirst, SeenBehind, SeenAndMatched, SeenAndPosted, Cancelled};
enum { kKinds = sizeof kinds / sizeof *kinds };

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 3;
  late = argc > 2 ? atof(argv[2]) * 1e-6 : 1e-3;
  MPI_Init(&argc, &argv);
  world = MPI_COMM_WORLD;
  MPI_Comm_rank(world, &rank);
  for (int i = 0; i < rounds * kKinds; ++i) {
    MPI_Barrier(world);
    if (rank == 1) kinds[i % kKinds](i % kKinds);
    if (rank != 0) continue;
    Send(i % kKinds);
    Send(i % kKinds);
  }
  MPI_Finalize();
  return 0;
}
