// SPDX-License-Identifier: BSD-3-Clause
// Random messages and collective operations: random_messages SEED STEPS. All processes draw the same plan; each one
// draws for itself when it is late, in which order it receives, and by which calls.
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kMost = 24, kSmall = 900, kBytes = 100000, kTags = 3, kTagsOfStep = 10, kComms = 3 };

static uint64_t plan, own;  // random numbers: of all, and of this process
static MPI_Comm comms[kComms], comm;
static int rank, size, first_tag;  // of the present communicator and step

static struct { int from, to, tag, bytes; } messages[kMost];
static int count;
static char in[kMost][kBytes], out[kBytes];
static MPI_Request open[3 * kMost];
static int opened;

static int Draw(uint64_t *state, int below) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)((*state >> 33) % (uint64_t)below);
}
static int Planned(int below) { return Draw(&plan, below); }
static int Own(int below) { return Draw(&own, below); }

__attribute__((no_instrument_function)) static void Late(void) {
  if (Own(2) == 0) usleep((useconds_t)Own(1000));
}

static void Send(int synchronous) {
  for (int i = 0; i < count; ++i) {
    if (messages[i].from != rank) continue;
    if (Own(3) == 0) Late();
    const int bytes = messages[i].bytes, to = messages[i].to, tag = messages[i].tag;
    if (synchronous) {
      MPI_Issend(out, bytes, MPI_CHAR, to, tag, comm, &open[opened++]);
    } else if (to != rank && bytes < kSmall && Own(3) == 0) {
      MPI_Send(out, bytes, MPI_CHAR, to, tag, comm);
    } else {
      MPI_Isend(out, bytes, MPI_CHAR, to, tag, comm, &open[opened++]);
    }
  }
}

static void Receive(int from, int tag, char *to, int way) {
  MPI_Status status;
  MPI_Message message;
  switch (way) {
    case 0: MPI_Recv(to, kBytes, MPI_CHAR, from, tag, comm, MPI_STATUS_IGNORE); return;
    case 1: MPI_Irecv(to, kBytes, MPI_CHAR, from, tag, comm, &open[opened++]); return;
    case 2:
      MPI_Probe(from, tag, comm, &status);
      MPI_Recv(to, kBytes, MPI_CHAR, from, tag, comm, &status);
      return;
    case 3:
      MPI_Mprobe(from, tag, comm, &message, &status);
      Late();
      MPI_Mrecv(to, kBytes, MPI_CHAR, &message, &status);
      return;
    default:
      MPI_Mprobe(from, tag, comm, &message, MPI_STATUS_IGNORE);
      MPI_Imrecv(to, kBytes, MPI_CHAR, &message, &open[opened++]);
  }
}

// `any`: from any process. An open receive from any process could take the message that a probe has seen.
static void ReceiveAll(int any) {
  for (int i = 0, begin = Own(kMost); i < count; ++i) {
    const int m = (begin + i) % count, way = Own(5);
    if (messages[m].to != rank) continue;
    if (Own(4) == 0) Late();
    const int from = any ? MPI_ANY_SOURCE : messages[m].from;
    Receive(from, messages[m].tag, in[m], way == 2 && (any || opened != 0) ? 3 : way);
  }
}

static void WaitForAll(void) {
  int place, done;
  Late();
  switch (Own(4)) {
    case 0: MPI_Waitall(opened, open, MPI_STATUSES_IGNORE); break;
    case 1:
      for (int i = opened; i-- > 0;) MPI_Wait(&open[i], MPI_STATUS_IGNORE);
      break;
    case 2:
      for (int i = 0; i < opened; ++i) MPI_Waitany(opened, open, &place, MPI_STATUS_IGNORE);
      break;
    default:
      for (done = 0; !done;) MPI_Testall(opened, open, &done, MPI_STATUSES_IGNORE);
  }
  opened = 0;
}

static void Standard(int any) {
  Send(0);
  ReceiveAll(any);
  WaitForAll();
}

static void Synchronous(int any) {
  Send(1);
  ReceiveAll(any);
  WaitForAll();
}

// Sends of any size to a process that may be late.
static void OneWay(void) {
  const int from = Planned(size), to = Planned(size), way = Planned(3), all = from == to ? 0 : 1 + Planned(4);
  for (int i = 0; i < all; ++i) {
    const int bytes = Planned(2) == 0 ? Planned(kSmall) : Planned(kBytes), tag = first_tag + Planned(kTags);
    if (rank == to) {
      Late();
      Receive(from, tag, in[0], 2 * Own(2));
    }
    if (rank != from) continue;
    if (way == 0) {
      MPI_Send(out, bytes, MPI_CHAR, to, tag, comm);
    } else if (way == 1) {
      MPI_Isend(out, bytes, MPI_CHAR, to, tag, comm, &open[opened++]);
      WaitForAll();
    } else {
      MPI_Sendrecv(out, bytes, MPI_CHAR, to, tag, in[0], kBytes, MPI_CHAR, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
    }
  }
}

static void Ring(int any) {
  const int right = (rank + 1) % size, left = any ? MPI_ANY_SOURCE : (rank + size - 1) % size;
  const int bytes = Planned(2) == 0 ? 4 : kBytes;
  Late();
  MPI_Sendrecv(out, bytes, MPI_CHAR, right, first_tag, in[0], kBytes, MPI_CHAR, left, first_tag, comm,
               MPI_STATUS_IGNORE);
}

static void Blocking(void) {
  static int from[64], to[64];
  const int root = Planned(size);
  Late();
  switch (Planned(7)) {
    case 0: MPI_Barrier(comm); break;
    case 1: MPI_Allreduce(from, to, 4, MPI_INT, MPI_SUM, comm); break;
    case 2: MPI_Bcast(to, 4, MPI_INT, root, comm); break;
    case 3: MPI_Reduce(from, to, 4, MPI_INT, MPI_SUM, root, comm); break;
    case 4: MPI_Gather(from, 2, MPI_INT, to, 2, MPI_INT, root, comm); break;
    case 5: MPI_Alltoall(from, 1, MPI_INT, to, 1, MPI_INT, comm); break;
    default: MPI_Scan(from, to, 2, MPI_INT, MPI_SUM, comm);
  }
}

static void Later(void) {
  static int from[64], to[4][64];
  for (int i = 0, all = 1 + Planned(4); i < all; ++i) {
    const int root = Planned(size);
    MPI_Request *request = &open[opened++];
    Late();
    switch (Planned(4)) {
      case 0: MPI_Ibarrier(comm, request); break;
      case 1: MPI_Iallreduce(from, to[i], 4, MPI_INT, MPI_SUM, comm, request); break;
      case 2: MPI_Ibcast(to[i], 4, MPI_INT, root, comm, request); break;
      default: MPI_Ireduce(from, to[i], 4, MPI_INT, MPI_SUM, root, comm, request);
    }
  }
  WaitForAll();
}

static void Step(int number) {
  const uint64_t next = plan + 1;
  first_tag = kTagsOfStep * number;
  comm = comms[Planned(kComms)];
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  count = 1 + Planned(kMost);
  for (int i = 0; i < count; ++i) {
    messages[i].from = Planned(size);
    messages[i].to = Planned(size);
    messages[i].tag = first_tag + Planned(kTags);
    messages[i].bytes = Planned(4) == 0 ? Planned(kBytes) : Planned(kSmall);
  }
  const int any = Planned(3) == 0;
  switch (Planned(8)) {
    case 0: Standard(any); break;
    case 1: Synchronous(any); break;
    case 2: Ring(any); break;
    case 3: Later(); break;
    case 4:
    case 5: OneWay(); break;
    default: Blocking();
  }
  plan = next;  // parts of a communicator may have drawn differently
  Planned(2);
}

int main(int argc, char **argv) {
  if (argc < 3) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  plan = strtoull(argv[1], NULL, 10) * 1000003;
  own = plan + (uint64_t)rank * 7919;
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comms[2]);
  for (int i = 0; i < atoi(argv[2]); ++i) Step(i);
  MPI_Finalize();
  return 0;
}
