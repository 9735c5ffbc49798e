// SPDX-License-Identifier: BSD-3-Clause
// A library between the measurement and MPI: with SLOW_RANK, small messages of this rank come to the next rank 50 ms
// after the receiver asked for them. Their sender is not delayed.
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { kMost = 4, kSmall = 2000 };

static MPI_Request waited_for[kMost];
static double until[kMost];
static int known;

static int IsSlow(int count, int from, MPI_Comm comm) {
  const char* slow = getenv("SLOW_RANK");
  int rank, ranks;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  return slow != NULL && count <= kSmall && atoi(slow) == from && rank == (from + 1) % ranks;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const int result = PMPI_Irecv(data, count, type, from, tag, comm, request);
  if (IsSlow(count, from, comm)) {
    waited_for[known % kMost] = *request;
    until[known++ % kMost] = PMPI_Wtime() + 0.05;
  }
  return result;
}

static double UntilOf(MPI_Request request) {
  for (int i = 0; i < known && i < kMost; ++i) {
    if (waited_for[i] == request) return until[i];
  }
  return 0;
}

static void Forget(MPI_Request request) {
  for (int i = 0; i < known && i < kMost; ++i) {
    if (waited_for[i] != request) continue;
    waited_for[i] = MPI_REQUEST_NULL;  // MPI uses the handle again
    until[i] = 0;
  }
}

int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
  double last = 0;
  for (int i = 0; i < count; ++i) {
    if (UntilOf(requests[i]) > last) last = UntilOf(requests[i]);
    Forget(requests[i]);
  }
  const int result = PMPI_Waitall(count, requests, statuses);
  const double left = last - PMPI_Wtime();
  if (left > 0) nanosleep(&(struct timespec){0, (long)(left * 1e9)}, NULL);
  return result;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* status) {
  *done = 0;
  if (UntilOf(*request) > PMPI_Wtime()) return MPI_SUCCESS;
  Forget(*request);
  return PMPI_Test(request, done, status);
}
