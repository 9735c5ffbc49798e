// SPDX-License-Identifier: BSD-3-Clause
// Random messages and operations, each with a number of bytes that no other has, while each rank switches its trace or
// pauses at random. Arguments: seed, steps, and how: switch, pause, or nothing.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "epik/epik.h"

enum { kTags = 3, kMost = 6, kBytes = 1 << 15 };

static unsigned common, own;
static int rank, ranks, next_bytes = 1;
static MPI_Comm comms[2];

// The same numbers on all ranks, and those of this rank alone.
static int Draw(unsigned* state, int below) {
  *state = *state * 1664525u + 1013904223u;
  return (int)((*state >> 8) % (unsigned)below);
}

struct Message {
  int from, to, tag, comm, bytes;
};

static struct Message messages[kMost];
static int count;

static void Draft(void) {
  count = 1 + Draw(&common, kMost);
  for (int m = 0; m < count; ++m) {
    messages[m].from = Draw(&common, ranks);
    messages[m].to = (messages[m].from + 1 + Draw(&common, ranks - 1)) % ranks;
    messages[m].tag = Draw(&common, kTags);
    messages[m].comm = Draw(&common, 2);
    messages[m].bytes = next_bytes++;
  }
}

static char out[kBytes], in[kMost][kBytes];

static void __attribute__((noinline)) SendAll(MPI_Request* requests, int* open) {
  for (int m = 0; m < count; ++m) {
    const struct Message* one = &messages[m];
    if (one->from != rank) continue;
    switch (Draw(&own, 4)) {
      case 0: MPI_Send(out, one->bytes, MPI_CHAR, one->to, one->tag, comms[one->comm]); break;
      case 1: MPI_Rsend(out, one->bytes, MPI_CHAR, one->to, one->tag, comms[one->comm]); break;
      case 2: MPI_Issend(out, one->bytes, MPI_CHAR, one->to, one->tag, comms[one->comm], &requests[(*open)++]); break;
      default: MPI_Isend(out, one->bytes, MPI_CHAR, one->to, one->tag, comms[one->comm], &requests[(*open)++]);
    }
  }
}

// Each receive is posted before any send of this step; `any`: from anybody, with any tag.
static void __attribute__((noinline)) PostAll(int any, MPI_Request* requests, int* open) {
  for (int m = 0; m < count; ++m) {
    const struct Message* one = &messages[m];
    if (one->to != rank) continue;
    MPI_Irecv(in[m], kBytes, MPI_CHAR, any ? MPI_ANY_SOURCE : one->from, any ? MPI_ANY_TAG : one->tag, comms[one->comm],
              &requests[(*open)++]);
  }
}

static void __attribute__((noinline)) ReceiveAll(int how) {
  for (int m = 0; m < count; ++m) {
    const struct Message* one = &messages[m];
    if (one->to != rank) continue;
    MPI_Message message;
    MPI_Status status;
    switch (how) {
      case 0: MPI_Recv(in[m], kBytes, MPI_CHAR, one->from, one->tag, comms[one->comm], MPI_STATUS_IGNORE); break;
      case 1:
        MPI_Recv(in[m], kBytes, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[one->comm], MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comms[one->comm], &status);
        MPI_Recv(in[m], kBytes, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, comms[one->comm], &status);
        break;
      default:
        MPI_Mprobe(one->from, one->tag, comms[one->comm], &message, &status);
        MPI_Mrecv(in[m], kBytes, MPI_CHAR, &message, &status);
    }
  }
}

static void __attribute__((noinline)) Finish(MPI_Request* requests, int open) {
  int index, some[2 * kMost];
  switch (Draw(&own, 3)) {
    case 0:
      for (int done = 0; done < open; ++done) MPI_Waitany(open, requests, &index, MPI_STATUS_IGNORE);
      break;
    case 1:
      for (int done = 0, more; done < open; done += more)
        MPI_Waitsome(open, requests, &more, some, MPI_STATUSES_IGNORE);
      break;
    default: MPI_Waitall(open, requests, MPI_STATUSES_IGNORE);
  }
}

static void __attribute__((noinline)) Exchange(void) {
  MPI_Request requests[2 * kMost];
  int open = 0;
  Draft();
  const int posts = Draw(&common, 2);
  if (posts) PostAll(Draw(&own, 2), requests, &open);
  MPI_Barrier(comms[1]);  // MPI_Rsend needs its receive
  if (!posts) {
    // Receives come later, so no send may need one.
    for (int m = 0; m < count; ++m) {
      const struct Message* one = &messages[m];
      if (one->from == rank) {
        MPI_Isend(out, one->bytes, MPI_CHAR, one->to, one->tag, comms[one->comm], &requests[open++]);
      }
    }
    ReceiveAll(Draw(&own, 4));
  } else {
    SendAll(requests, &open);
  }
  Finish(requests, open);
  MPI_Barrier(comms[1]);  // receives from anybody must not get a message of the next step
}

static void __attribute__((noinline)) Persistent(void) {
  MPI_Request requests[2];
  const int bytes = next_bytes;
  next_bytes += ranks;
  MPI_Send_init(out, bytes + rank, MPI_CHAR, (rank + 1) % ranks, 1, comms[0], &requests[0]);
  MPI_Recv_init(in[0], kBytes, MPI_CHAR, (rank + ranks - 1) % ranks, 1, comms[0], &requests[1]);
  MPI_Startall(2, requests);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  MPI_Request_free(&requests[0]);
  MPI_Request_free(&requests[1]);
}

static void __attribute__((noinline)) Together(void) {
  const int bytes = next_bytes++, root = Draw(&common, ranks), comm = Draw(&common, 2);
  MPI_Request request;
  switch (Draw(&common, 4)) {
    case 0: MPI_Allreduce(out, in[0], bytes, MPI_CHAR, MPI_MAX, comms[comm]); break;
    case 1: MPI_Bcast(in[0], bytes, MPI_CHAR, root, comms[comm]); break;
    case 2: MPI_Reduce(out, in[0], bytes, MPI_CHAR, MPI_MAX, root, comms[comm]); break;
    default:
      MPI_Iallreduce(out, in[0], bytes, MPI_CHAR, MPI_MAX, comms[comm], &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void __attribute__((noinline)) Ring(void) {
  const int bytes = next_bytes;
  next_bytes += ranks;
  MPI_Sendrecv(out, bytes + rank, MPI_CHAR, (rank + 1) % ranks, 2, in[0], kBytes, MPI_CHAR, (rank + ranks - 1) % ranks,
               2, comms[0], MPI_STATUS_IGNORE);
}

static void __attribute__((noinline)) Step(void) {
  switch (Draw(&common, 5)) {
    case 0: Persistent(); break;
    case 1: Together(); break;
    case 2: Ring(); break;
    default: Exchange();
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  common = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  own = common * 77 + (unsigned)rank * 1013;
  const int steps = argc > 2 ? atoi(argv[2]) : 50;
  const char* how = argc > 3 ? argv[3] : "";
  comms[0] = MPI_COMM_WORLD;
  MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
  int off = 0;
  for (int s = 0; s < steps; ++s) {
    if (*how != 0 && Draw(&own, 6) == 0) {
      const int pauses = strcmp(how, "pause") == 0;
      if (off) {
        if (pauses)
          EPIK_PAUSE_END();
        else
          EPIK_TRACE_ON();
      } else {
        if (pauses)
          EPIK_PAUSE_START();
        else
          EPIK_TRACE_OFF();
      }
      off = !off;
    }
    Step();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&comms[1]);
  MPI_Finalize();
  return 0;
}
