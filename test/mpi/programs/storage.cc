// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication and files, from C++.
#include <string>
#include <vector>

#include "count.h"

namespace {

constexpr long kInt = sizeof(int);

void Windows(int rank, int size) {
  std::vector<int> memory(100), own(100), got(100);
  MPI_Win window;
  const int next = (rank + 1) % size;
  CALL(Win_create, memory.data(), 100 * kInt, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  CALL(Win_fence, 0, window);
  CALL(Put, own.data(), 10, MPI_INT, next, 0, 10, MPI_INT, window);
  Did("MPI_Put", "put", 10 * kInt);
  CALL(Put, own.data(), 10, MPI_INT, MPI_PROC_NULL, 0, 10, MPI_INT, window);
  CALL(Win_fence, 0, window);
  CALL(Get, got.data(), 7, MPI_INT, next, 0, 7, MPI_INT, window);
  Did("MPI_Get", "got", 7 * kInt);
  CALL(Win_fence, 0, window);
  CALL(Accumulate, own.data(), 3, MPI_INT, next, 0, 3, MPI_INT, MPI_SUM, window);
  Did("MPI_Accumulate", "put", 3 * kInt);
  CALL(Win_fence, 0, window);
  CALL(Win_lock, MPI_LOCK_SHARED, next, 0, window);
  CALL(Get_accumulate, own.data(), 2, MPI_INT, got.data(), 2, MPI_INT, next, 0, 2, MPI_INT, MPI_SUM, window);
  Did("MPI_Get_accumulate", "put", 2 * kInt);
  Did("MPI_Get_accumulate", "got", 2 * kInt);
  CALL(Get_accumulate, nullptr, 0, MPI_INT, got.data(), 2, MPI_INT, next, 0, 2, MPI_INT, MPI_NO_OP, window);
  Did("MPI_Get_accumulate", "got", 2 * kInt);
  CALL(Fetch_and_op, own.data(), got.data(), MPI_INT, next, 0, MPI_SUM, window);
  Did("MPI_Fetch_and_op", "put", kInt);
  Did("MPI_Fetch_and_op", "got", kInt);
  CALL(Compare_and_swap, own.data(), own.data() + 1, got.data(), MPI_INT, next, 0, window);
  Did("MPI_Compare_and_swap", "put", kInt);
  Did("MPI_Compare_and_swap", "got", kInt);
  MPI_Request request;
  CALL(Rput, own.data(), 4, MPI_INT, next, 50, 4, MPI_INT, window, &request);
  Did("MPI_Rput", "put", 4 * kInt);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  CALL(Win_flush, next, window);
  CALL(Win_unlock, next, window);
  CALL(Win_free, &window);
}

// Post, start, complete and wait: in a ring, in which every process is origin and target.
void Ring(int rank, int size) {
  std::vector<int> memory(10), own(10);
  MPI_Win window;
  MPI_Group world, next, before;
  const int to = (rank + 1) % size, from = (rank + size - 1) % size;
  CALL(Win_create, memory.data(), 10 * kInt, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  CALL(Comm_group, MPI_COMM_WORLD, &world);
  CALL(Group_incl, world, 1, &to, &next);
  CALL(Group_incl, world, 1, &from, &before);
  CALL(Win_post, before, 0, window);
  CALL(Win_start, next, 0, window);
  CALL(Put, own.data(), 6, MPI_INT, to, 0, 6, MPI_INT, window);
  Did("MPI_Put", "put", 6 * kInt);
  CALL(Win_complete, window);
  CALL(Win_wait, window);
  for (MPI_Group* group : {&world, &next, &before}) CALL(Group_free, group);
  CALL(Win_free, &window);
}

// An address in place of a buffer.
void FromBottom(int rank, int size) {
  int value = 100 + rank, got = 0;
  MPI_Aint address;
  MPI_Datatype there, here;
  int one = 1;
  CALL(Get_address, &value, &address);
  CALL(Type_create_hindexed, 1, &one, &address, MPI_INT, &there);
  CALL(Type_commit, &there);
  CALL(Get_address, &got, &address);
  CALL(Type_create_hindexed, 1, &one, &address, MPI_INT, &here);
  CALL(Type_commit, &here);
  CALL(Sendrecv, MPI_BOTTOM, 1, there, (rank + 1) % size, 5, MPI_BOTTOM, 1, here, (rank + size - 1) % size, 5,
       MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  SENT(Sendrecv, kInt);
  GOT(Sendrecv, kInt);
  if (got != 100 + (rank + size - 1) % size) MPI_Abort(MPI_COMM_WORLD, 9);
  CALL(Type_free, &there);
  CALL(Type_free, &here);
}

void Files(int rank, int size, const std::string& path) {
  MPI_File file;
  MPI_Status status;
  MPI_Request request;
  std::vector<int> data(1000);
  const MPI_Offset own = rank * 100 * kInt;
  CALL(File_open, MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  CALL(File_write_at, file, own, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE);
  Did("MPI_File_write_at", "written", 100 * kInt);
  CALL(File_write_at_all, file, own, data.data(), 100, MPI_INT, &status);
  Did("MPI_File_write_at_all", "written", 100 * kInt);
  CALL(File_iwrite_at, file, own, data.data(), 50, MPI_INT, &request);
  CALL(Wait, &request, MPI_STATUS_IGNORE);
  Did("MPI_Wait", "written", 50 * kInt);
  CALL(File_sync, file);
  CALL(Barrier, MPI_COMM_WORLD);
  CALL(File_read_at, file, own, data.data(), 100, MPI_INT, MPI_STATUS_IGNORE);
  Did("MPI_File_read_at", "read", 100 * kInt);
  // The file ends before that.
  CALL(File_read_at, file, (100 * size - 10) * kInt, data.data(), 100, MPI_INT, &status);
  Did("MPI_File_read_at", "read", 10 * kInt);
  CALL(File_iread_at, file, own, data.data(), 30, MPI_INT, &request);
  int done = 0;
  while (done == 0) CALL(Test, &request, &done, MPI_STATUS_IGNORE);
  Did("MPI_Test", "read", 30 * kInt);
  CALL(File_read_at_all_begin, file, own, data.data(), 20, MPI_INT);
  CALL(File_read_at_all_end, file, data.data(), &status);
  Did("MPI_File_read_at_all_end", "read", 20 * kInt);
  CALL(File_close, &file);
}

}  // namespace

int main(int argc, char** argv) {
  int rank = 0;
  int size = 0;
  CALL(Init, &argc, &argv);
  CALL(Comm_rank, MPI_COMM_WORLD, &rank);
  CALL(Comm_size, MPI_COMM_WORLD, &size);
  Windows(rank, size);
  Ring(rank, size);
  FromBottom(rank, size);
  Files(rank, size, argv[1]);
  CALL(Finalize);
  WriteCounts(rank);
  return 0;
}
