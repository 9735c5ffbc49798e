// SPDX-License-Identifier: BSD-3-Clause
// MPI_Finalize in a static destructor or by another thread, and measured code after it.
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

bool by_destructor = false;

void Before() {}
void After() {}

void End() {
  Before();
  MPI_Finalize();
}

struct Session {
  ~Session() {
    if (by_destructor) End();
  }
};
Session session;

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Barrier(MPI_COMM_WORLD);
  if (argc > 1 && std::strcmp(argv[1], "thread") == 0) {
    std::thread(End).join();
    After();
  } else {
    by_destructor = true;
  }
  if (rank == 0) std::puts("late");
  return 0;
}
