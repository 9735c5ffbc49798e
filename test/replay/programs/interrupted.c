/* SPDX-License-Identifier: BSD-3-Clause
   Functions that run within calls that wait: a signal handler, an MPI_Op of the program, and a cleanup handler of a
   thread that is cancelled. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#define OUT __attribute__((no_instrument_function))

OUT static void spin(int milliseconds) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000000L + now.tv_nsec - begin.tv_nsec < milliseconds * 1000000L);
}
OUT static void rest(int milliseconds) {
  struct timespec t = {0, milliseconds * 1000000L};
  while (nanosleep(&t, &t) != 0) continue;
}

static void handle(int number) {
  (void)number;
  spin(2);
}
static void add(void* in, void* into, int* count, MPI_Datatype* type) {
  (void)type;
  spin(5);
  for (int i = 0; i < *count; ++i) ((int*)into)[i] += ((int*)in)[i];
}
static void work(void) { rest(60); }
static void clean(void* mutex) {
  spin(5);
  pthread_mutex_unlock(mutex);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static void* wait_for_ever(void* none) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(clean, &mutex);
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(1);
  return none;
}

/* The others come late to each call, and a signal comes every 7 ms meanwhile. */
static void interrupted(int rank) {
  int one = 1, sum = 0;
  MPI_Op op;
  MPI_Op_create(add, 1, &op);
  if (rank == 0) {
    work();
    MPI_Send(&one, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    work();
    MPI_Barrier(MPI_COMM_WORLD);
    work();
  } else {
    const struct itimerval every = {{0, 7000}, {0, 7000}}, off = {{0, 0}, {0, 0}};
    struct sigaction action;
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, NULL);
    pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
    setitimer(ITIMER_REAL, &every, NULL);
    MPI_Recv(&one, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    setitimer(ITIMER_REAL, &off, NULL);
  }
  MPI_Allreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
}

int main(int argc, char** argv) {
  int rank;
  pthread_t thread;
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL); /* of all threads, also those of MPI */
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  interrupted(rank);
  if (rank == 0) {
    pthread_create(&thread, NULL, wait_for_ever, NULL);
    rest(20);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
  }
  MPI_Finalize();
  return 0;
}
