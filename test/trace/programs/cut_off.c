/* SPDX-License-Identifier: BSD-3-Clause
   Communication of which the trace has one end: receives that are posted in a pause, or (with a word) an operation that
   the end of the process cuts off. */
#include <epik/epik.h>
#include <mpi.h>
#include <signal.h>

enum { kCount = 5 };

static void pause_while_posting(void) {
  static int in[3][kCount], out[kCount];
  int rank, size;
  MPI_Request requests[3];
  MPI_Message message;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  MPI_Recv_init(in[1], kCount, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[1]);
  epik_pause();
  MPI_Irecv(in[0], kCount, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[0]);
  MPI_Start(&requests[1]);
  epik_resume();
  for (int tag = 1; tag <= 3; ++tag) MPI_Send(out, tag, MPI_INT, next, tag, MPI_COMM_WORLD);
  epik_pause();
  MPI_Mprobe(before, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  MPI_Imrecv(in[2], kCount, MPI_INT, &message, &requests[2]);
  epik_resume();
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[1]);
}

int main(int argc, char** argv) {
  static int in[kCount], out[kCount];
  MPI_Request request;
  MPI_Init(&argc, &argv);
  if (argc > 1) {
    MPI_Iallreduce(out, in, kCount, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    raise(SIGKILL);
  }
  pause_while_posting();
  MPI_Finalize();
  return 0;
}
