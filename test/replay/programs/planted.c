/* SPDX-License-Identifier: BSD-3-Clause
   Waits of known kinds: each function plants one, and writes down when its calls of MPI began and ended. The clock of
   the machine keeps processes in step, so that no operation between two experiments waits for another process. */
#include "planted.h"

enum { kBig = 1 << 22 }; /* bytes */
static char* big;

static void late_sender(void) {
  int x = 0;
  come(0);
  if (rank == 0) CALL(Send, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) CALL(Recv, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void any_source(void) {
  int x = 0;
  come(2);
  if (rank == 2) CALL(Send, &x, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) CALL(Recv, &x, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_sender_wait(void) {
  int x = 0;
  MPI_Request request;
  come(0);
  if (rank == 0) {
    CALL(Isend, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
  }
  if (rank == 1) {
    CALL(Irecv, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
  }
}

static void persistent(void) {
  int x = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Send_init(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
  if (rank == 1) MPI_Recv_init(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &request);
  come(0);
  if (rank <= 1) {
    CALL(Start, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
}

static void persistent_synchronous(void) {
  int x = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (rank == 0) MPI_Ssend_init(&x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &request);
  come(1);
  if (rank == 0) {
    CALL(Start, &request);
    CALL(Wait, &request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  }
  if (rank == 1) CALL(Recv, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void waitall(void) {
  int x[2] = {0, 0};
  MPI_Request requests[2];
  until(begins + (rank == 1 ? kLong / 2 : rank == 2 ? kLong : 0));
  if (rank == 1 || rank == 2) CALL(Send, x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    MPI_Irecv(&x[0], 1, MPI_INT, 2, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&x[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
    CALL(Waitall, 2, requests, MPI_STATUSES_IGNORE);
  }
}

static void late_receiver(void) {
  int x = 0;
  come(1);
  if (rank == 0) CALL(Ssend, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) CALL(Recv, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void late_receiver_big(void) {
  come(1);
  if (rank == 0) CALL(Send, big, kBig, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) CALL(Recv, big, kBig, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void on_time(void) {
  int x = 0;
  come(1);
  if (rank == 0) CALL(Send, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
  if (rank == 1) CALL(Recv, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wrong_order(void) {
  int x = 0;
  come(2);
  if (rank == 1 || rank == 2) CALL(Send, &x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  if (rank == 0) {
    CALL(Recv, &x, 1, MPI_INT, 2, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CALL(Recv, &x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void probe(void) {
  int x = 0;
  MPI_Status status;
  come(0);
  if (rank == 0) CALL(Send, &x, 1, MPI_INT, 1, 3, MPI_COMM_WORLD);
  if (rank == 1) {
    CALL(Probe, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    CALL(Recv, &x, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

static void barrier(void) {
  come(3);
  CALL(Barrier, MPI_COMM_WORLD);
}

static void ibarrier(void) {
  MPI_Request request;
  come(3);
  CALL(Ibarrier, MPI_COMM_WORLD, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void allreduce(void) {
  int x = 1, y;
  come(2);
  CALL(Allreduce, &x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void iallreduce(void) {
  int x = 1, y;
  MPI_Request request;
  come(2);
  CALL(Iallreduce, &x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void alltoallv(void) {
  int give[64] = {0}, take[64] = {0}, counts[64], places[64];
  for (int r = 0; r < ranks; ++r) counts[r] = 1, places[r] = r;
  come(1);
  CALL(Alltoallv, give, counts, places, MPI_INT, take, counts, places, MPI_INT, MPI_COMM_WORLD);
}

/* Two pairs: a process that comes late keeps only its partner waiting. */
static void sparse(void) {
  int give[64] = {0}, take[64] = {0}, counts[64] = {0}, places[64];
  for (int r = 0; r < ranks; ++r) places[r] = r;
  counts[rank ^ 1] = 1;
  come(3);
  CALL(Alltoallv, give, counts, places, MPI_INT, take, counts, places, MPI_INT, MPI_COMM_WORLD);
}

static MPI_Comm around, half, between, copy;

static void ring(void) {
  const int size[1] = {ranks}, is_closed[1] = {1};
  come(1);
  CALL(Cart_create, MPI_COMM_WORLD, 1, size, is_closed, 0, &around);
}

static void neighbours(void) {
  int give[2] = {0}, take[2] = {0};
  come(0);
  CALL(Neighbor_alltoall, give, 1, MPI_INT, take, 1, MPI_INT, around);
}

static void ineighbours(void) {
  int give[2] = {0}, take[2] = {0};
  MPI_Request request;
  come(0);
  CALL(Ineighbor_alltoall, give, 1, MPI_INT, take, 1, MPI_INT, around, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void idup(void) {
  MPI_Request request;
  come(2);
  CALL(Comm_idup, MPI_COMM_WORLD, &copy, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
}

static void split(void) {
  come(0);
  CALL(Comm_split, MPI_COMM_WORLD, rank / 2, 0, &half);
}

static void intercomm(void) {
  come(3);
  CALL(Intercomm_create, half, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 5, &between);
}

/* Both MPIs gather each group before the groups exchange, so all wait for all. */
static void allreduce_between(void) {
  int x = 1, y;
  come(2);
  CALL(Allreduce, &x, &y, 1, MPI_INT, MPI_SUM, between);
}

static void bcast(void) {
  int x = 1;
  come(2);
  CALL(Bcast, &x, 1, MPI_INT, 2, MPI_COMM_WORLD);
}

static void reduce(void) {
  int x = 1, y = 0;
  until(begins + (rank == 1 ? 0 : rank == 3 ? kLong : kLong / 2));
  CALL(Reduce, &x, &y, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
}

static void scan(void) {
  int x = 1, y = 0;
  come(1);
  CALL(Scan, &x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void ends(void) {
  come(0);
  experiment = "ends";
  const long long begin = now();
  note("MPI_Finalize", begin);
}

static const struct Planted kAll[] = {{"late_sender", late_sender},
                                      {"any_source", any_source},
                                      {"late_sender_wait", late_sender_wait},
                                      {"persistent", persistent},
                                      {"persistent_synchronous", persistent_synchronous},
                                      {"waitall", waitall},
                                      {"late_receiver", late_receiver},
                                      {"late_receiver_big", late_receiver_big},
                                      {"on_time", on_time},
                                      {"wrong_order", wrong_order},
                                      {"probe", probe},
                                      {"barrier", barrier},
                                      {"ibarrier", ibarrier},
                                      {"allreduce", allreduce},
                                      {"iallreduce", iallreduce},
                                      {"alltoallv", alltoallv},
                                      {"sparse", sparse},
                                      {"ring", ring},
                                      {"neighbours", neighbours},
                                      {"ineighbours", ineighbours},
                                      {"idup", idup},
                                      {"split", split},
                                      {"intercomm", intercomm},
                                      {"allreduce_between", allreduce_between},
                                      {"bcast", bcast},
                                      {"reduce", reduce},
                                      {"scan", scan},
                                      {"ends", ends}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  big = calloc(1, kBig);
  run_all(kAll, sizeof kAll / sizeof kAll[0]);
  free(big);
  MPI_Finalize();
  return 0;
}
