// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI that fail. Handlers of errors leave them by a jump or an exception, on rank 0 only, and later calls come
// from deeper frames, MPI_Finalize included: they must count, or the ranks no longer agree on what they do together.
#include <csetjmp>
#include <stdexcept>

#include "count.h"

namespace {

jmp_buf back;

void Throw(MPI_Comm*, int*, ...) { throw std::runtime_error("MPI has an error"); }
void Jump(MPI_Comm*, int*, ...) { longjmp(back, 1); }
// Leaves a function of the handler only, and then returns from the call.
void JumpWithin(MPI_Comm*, int*, ...) {
  static jmp_buf here;
  if (setjmp(here) == 0) longjmp(here, 1);
}

void Exchange(int rank, int size) {
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  int sent = rank, got = -1;
  CALL(Sendrecv, &sent, 1, MPI_INT, next, 7, &got, 1, MPI_INT, before, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv, sizeof(int));
  GOT(Sendrecv, sizeof(int));
}

// Its room keeps the remains of an abandoned frame.
__attribute__((noinline)) int Deep(int levels, int rank, int size, bool last) {
  volatile char room[512];
  room[0] = static_cast<char>(levels);
  if (levels > 0) return Deep(levels - 1, rank, size, last) + room[0];
  for (int i = 0; i < 10; ++i) Exchange(rank, size);
  if (!last) return room[0];
  CALL(Finalize);
  WriteCounts(rank);
  return room[0];
}

void Handle(void (*handler)(MPI_Comm*, int*, ...)) {
  MPI_Errhandler made;
  CALL(Comm_create_errhandler, handler, &made);
  CALL(Comm_set_errhandler, MPI_COMM_WORLD, made);
  CALL(Errhandler_free, &made);
}

void Fail() {
  int number = 0;
  CALL(Send, &number, 1, MPI_INT, 4711, 1, MPI_COMM_WORLD);  // there is no such rank
}

// MPI refuses these calls, and does not say how many requests completed.
void Refused() {
  CALL(Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CALL(Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_RETURN);
  int sent = 1, got = 0, done = 0x40000000, places[2];
  MPI_Request requests[2];
  CALL(Irecv, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &requests[0]);
#ifdef OPEN_MPI
  requests[1] = nullptr;
#else
  requests[1] = 0x12345;
#endif
  CALL(Waitsome, 2, requests, &done, places, MPI_STATUSES_IGNORE);
  CALL(Testsome, 2, requests, &done, places, MPI_STATUSES_IGNORE);
  MPI_Request* const nothing = nullptr;
  CALL(Cancel, nothing);
  CALL(Request_free, nothing);
  CALL(Waitany, 1, requests, nullptr, MPI_STATUS_IGNORE);
  CALL(Testsome, 1, requests, nullptr, places, MPI_STATUSES_IGNORE);
  CALL(Send, &sent, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
  SENT(Send, sizeof(int));
  CALL(Wait, &requests[0], MPI_STATUS_IGNORE);
  GOT(Wait, sizeof(int));
}

// Nobody copies MPI_COMM_WORLD, not even in MPI_Finalize.
int RefuseToCopy(MPI_Comm, int, void*, void*, void*, int*) {
  fprintf(stderr, "copied\n");
  return MPI_ERR_OTHER;
}
void HaveAttribute() {
  int key;
  CALL(Comm_create_keyval, RefuseToCopy, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  CALL(Comm_set_attr, MPI_COMM_WORLD, key, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  CALL(Init, &argc, &argv);
  int rank, size;
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  HaveAttribute();
  Handle(JumpWithin);
  if (rank == 0) Fail();
  Deep(3, rank, size, false);
  Handle(Throw);
  for (int i = 0; i < 3 && rank == 0; ++i) {
    try {
      Fail();
    } catch (const std::exception&) {
    }
  }
  Deep(10, rank, size, false);
  Refused();
  Handle(Jump);
  if (rank == 0 && setjmp(back) == 0) Fail();
  Deep(10, rank, size, true);
  return 0;
}
