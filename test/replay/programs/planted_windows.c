/* SPDX-License-Identifier: BSD-3-Clause
   Waits of one-sided communication and of collective calls that make objects: each function plants one. */
#include "planted.h"

static MPI_Win window;
static MPI_Comm copy;
static MPI_File file;
static int memory[16];

static void comm_dup(void) {
  come(3);
  CALL(Comm_dup, MPI_COMM_WORLD, &copy);
}

static void win_create(void) {
  come(2);
  CALL(Win_create, memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
}

static void fence_begin(void) {
  come(-1);
  CALL(Win_fence, 0, window);
}

static void fence(void) {
  come(1);
  CALL(Win_fence, 0, window);
}

static void early_fence(void) {
  int x = 1;
  if (rank == 0) {
    until(begins + kLong / 2);
    CALL(Put, &x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    until(begins + kLong);
  } else {
    come(-1);
  }
  CALL(Win_fence, MPI_MODE_NOSUCCEED, window);
}

static MPI_Group group_of(int count, const int* members) {
  MPI_Group all, made;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, count, members, &made);
  MPI_Group_free(&all);
  return made;
}

/* Ranks 0 and 2 access the memory of rank 1. */
static void late_post(void) {
  const int origins[] = {0, 2}, target[] = {1};
  int x = 1;
  come(1);
  if (rank == 3) return;
  MPI_Group group = rank == 1 ? group_of(2, origins) : group_of(1, target);
  if (rank == 1) {
    CALL(Win_post, group, 0, window);
    until(begins + kLong + kLong / 2);
    CALL(Win_wait, window);
  } else {
    CALL(Win_start, group, 0, window);
    CALL(Put, &x, 1, MPI_INT, 1, rank, 1, MPI_INT, window);
    CALL(Win_complete, window);
  }
  MPI_Group_free(&group);
}

static void early_wait(void) {
  const int origin_ranks[] = {0}, target[] = {1};
  int x = 1;
  come(-1);
  if (rank > 1) return;
  MPI_Group group = rank == 1 ? group_of(1, origin_ranks) : group_of(1, target);
  if (rank == 1) {
    CALL(Win_post, group, 0, window);
    CALL(Win_wait, window);
  } else {
    CALL(Win_start, group, 0, window);
    CALL(Put, &x, 1, MPI_INT, 1, 0, 1, MPI_INT, window);
    until(begins + kLong);
    CALL(Win_complete, window);
  }
  MPI_Group_free(&group);
}

/* Rank 0 has the lock of rank 3's memory when rank 1 wants it. */
static void lock(void) {
  int x = 1;
  if (rank == 0) {
    come(-1);
    CALL(Win_lock, MPI_LOCK_EXCLUSIVE, 3, 0, window);
    CALL(Put, &x, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
    CALL(Win_flush, 3, window);
    until(begins + kLong);
    CALL(Win_unlock, 3, window);
  } else if (rank == 1) {
    until(begins + kLong / 2);
    CALL(Win_lock, MPI_LOCK_EXCLUSIVE, 3, 0, window);
    CALL(Put, &x, 1, MPI_INT, 3, 0, 1, MPI_INT, window);
    CALL(Win_unlock, 3, window);
  } else if (rank == 3) {
    /* So that it answers, even if this MPI makes no progress by itself. */
    int flag;
    MPI_Status status;
    while (now() < origin + (long long)((begins + kLong + kLong / 2) * 1e6)) {
      MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &flag, &status);
      const struct timespec pause = {0, 100000};
      nanosleep(&pause, NULL);
    }
  }
}

static void win_free(void) {
  come(2);
  CALL(Win_free, &window);
}

static void file_open(void) {
  come(1);
  CALL(File_open, MPI_COMM_WORLD, "planted.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
       MPI_INFO_NULL, &file);
}

static void write_all(void) {
  come(2);
  CALL(File_write_at_all, file, rank * (MPI_Offset)sizeof memory, memory, 16, MPI_INT, MPI_STATUS_IGNORE);
}

static void file_close(void) {
  come(-1);
  CALL(File_close, &file);
}

static void comm_free(void) {
  come(-1);
  CALL(Comm_free, &copy);
}

static void ends(void) {
  come(0);
  const long long begin = now();
  note("MPI_Finalize", begin);
}

static const struct Planted kAll[] = {{"comm_dup", comm_dup},       {"win_create", win_create},
                                      {"fence_begin", fence_begin}, {"fence", fence},
                                      {"early_fence", early_fence}, {"late_post", late_post},
                                      {"early_wait", early_wait},   {"lock", lock},
                                      {"win_free", win_free},       {"file_open", file_open},
                                      {"write_all", write_all},     {"file_close", file_close},
                                      {"comm_free", comm_free},     {"ends", ends}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  run_all(kAll, sizeof kAll / sizeof kAll[0]);
  MPI_Finalize();
  return 0;
}
