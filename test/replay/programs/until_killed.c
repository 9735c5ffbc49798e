// SPDX-License-Identifier: BSD-3-Clause
// Works until it is killed, by the kernel, when the process has used MICROSECONDS of CPU time: between any two
// instructions. until_killed MICROSECONDS RANK THREADS; one process of MPI after the other sends to the next one, and
// its threads meet in barriers, loops and tasks (of OpenMP), or in a mutex and a condition (of libc).
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

static volatile double sink;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static unsigned long turn;
static unsigned long threads;

void work(int times) {
  for (int i = 0; i < times; ++i) sink += 1.0 / (1 + i);
}

static void die_after(long us) {
  struct sigevent event = {0};
  struct itimerspec when = {0};
  timer_t timer;
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGKILL;
  when.it_value.tv_sec = us / 1000000;
  when.it_value.tv_nsec = us % 1000000 * 1000 + 1;
  if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &when, NULL) != 0) exit(9);
}

void team(void) {
#pragma omp parallel num_threads((int)threads)
  {
    work(100);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 16; ++i) work(50);
#pragma omp critical
    work(20);
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
      work(40);
    }
  }
}

void* relay(void* number) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    while (turn % threads != (unsigned long)number) pthread_cond_wait(&turned, &mutex);
    ++turn;
    pthread_cond_broadcast(&turned);
    pthread_mutex_unlock(&mutex);
    work(50);
  }
  return NULL;
}

#ifdef WITH_MPI
void exchange(int rank, int ranks) {
  int out = rank, in = 0;
  MPI_Request request;
  MPI_Isend(&out, 1, MPI_INT, (rank + 1) % ranks, 5, MPI_COMM_WORLD, &request);
  MPI_Recv(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}
#endif

int main(int argc, char** argv) {
  int rank = 0;
  if (argc != 4) return 2;
  threads = (unsigned long)atol(argv[3]);
#ifdef WITH_MPI
  int ranks = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  if (rank == atoi(argv[2])) die_after(atol(argv[1]));
#ifdef WITH_THREADS
  pthread_t made;
  for (unsigned long t = 1; t < threads; ++t) pthread_create(&made, NULL, relay, (void*)t);
  relay(NULL);
#endif
  for (;;) {
    work(200);
#ifdef WITH_MPI
    exchange(rank, ranks);
#endif
    if (threads > 1) team();
  }
}
