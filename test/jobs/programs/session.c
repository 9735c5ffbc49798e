// SPDX-License-Identifier: BSD-3-Clause
// MPI without MPI_Init: a session, a communicator of all processes, messages in a ring.
#include <mpi.h>
#include <stdio.h>

enum { kSteps = 60 };

#if MPI_VERSION >= 4
int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int rank, size;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "ring", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int step = 0; step < kSteps; ++step) {
    int mine = rank, theirs = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &theirs, 1, MPI_INT, (rank + size - 1) % size, 0, comm,
                 MPI_STATUS_IGNORE);
    if (theirs != (rank + size - 1) % size) return 1;
  }
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  printf("%d\n", rank);
  return 0;
}
#else
int main(void) {
  puts("no sessions");
  return 0;
}
#endif
