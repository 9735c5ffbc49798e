// SPDX-License-Identifier: BSD-3-Clause
// Messages between all pairs of processes, in communicators of other orders: a matrix that is no ring. Each rank writes
// its own row down, in $COUNT_FOLDER/../rows.<rank>: "to messages bytes" a line.
#include "count.h"

enum { kRounds = 200, kInt = sizeof(int) };

static unsigned Random(unsigned* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

int main(int argc, char** argv) {
  int rank, size;
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  MPI_Comm comms[3] = {MPI_COMM_WORLD, MPI_COMM_NULL, MPI_COMM_NULL};
  CALL(Comm_split, MPI_COMM_WORLD, 0, -rank, &comms[1]);
  CALL(Comm_split, MPI_COMM_WORLD, 0, (rank * 7 + 3) % size, &comms[2]);
  long messages[64] = {0}, bytes[64] = {0};
  unsigned state = 12345;  // the same in all processes, so each knows all messages
  static int out[100], in[100];
  for (int i = 0; i < kRounds; ++i) {
    const int from = (int)(Random(&state) % (unsigned)size), to = (int)(Random(&state) % (unsigned)size);
    const int n = (int)(Random(&state) % 100), which = (int)(Random(&state) % 3);
    if (from == to) continue;
    int sender, receiver, me;
    MPI_Group world, group;
    CALL(Comm_group, MPI_COMM_WORLD, &world);
    CALL(Comm_group, comms[which], &group);
    CALL(Group_translate_ranks, world, 1, &from, group, &sender);
    CALL(Group_translate_ranks, world, 1, &to, group, &receiver);
    CALL(Group_free, &world);
    CALL(Group_free, &group);
    CALL(Comm_rank, comms[which], &me);
    if (me == sender) {
      CALL(Send, out, n, MPI_INT, receiver, i, comms[which]), SENT(Send, n * kInt);
      ++messages[to];
      bytes[to] += n * kInt;
    } else if (me == receiver) {
      CALL(Recv, in, 100, MPI_INT, MPI_ANY_SOURCE, i, comms[which], MPI_STATUS_IGNORE), GOT(Recv, n * kInt);
    }
  }
  CALL(Comm_free, &comms[1]);
  CALL(Comm_free, &comms[2]);
  CALL(Finalize);
  WriteCounts(rank);
  const char* folder = getenv("COUNT_FOLDER");
  char path[4096];
  snprintf(path, sizeof path, "%s/../rows.%d", folder == NULL ? "." : folder, rank);
  FILE* file = folder == NULL ? NULL : fopen(path, "w");
  for (int i = 0; file != NULL && i < size; ++i) {
    if (messages[i] != 0) fprintf(file, "%d %ld %ld\n", i, messages[i], bytes[i]);
  }
  if (file != NULL) fclose(file);
  return 0;
}
