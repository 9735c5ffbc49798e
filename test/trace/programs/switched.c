/* SPDX-License-Identifier: BSD-3-Clause */
/* Does what is typed, a line at a time, and answers each with "ok": so a test knows where it is. switched [THREADS]
     work N       N calls of Work and twice as many of Leaf, on every thread
     thread N     the same on a new thread
     deeper, up   a call further in, and back
     mine         takes SIGUSR2 for itself; the answers say how often it came
     end */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif

enum { kMostThreads = 8 };
static volatile int sink;
static volatile sig_atomic_t came;
static long wanted[kMostThreads];
static int threads = 1;
static pthread_barrier_t begin, end;

__attribute__((noinline)) void Leaf(void) { ++sink; }

__attribute__((noinline)) void Work(void) {
  Leaf();
  Leaf();
}

__attribute__((noinline)) void WorkOften(long times) {
  for (long i = 0; i < times; ++i) Work();
}

__attribute__((noinline)) void* WorkApart(void* times) {
  WorkOften(*(long*)times);
  return NULL;
}

__attribute__((noinline)) void* Helper(void* argument) {
  const long number = (long)argument;
  for (;;) {
    pthread_barrier_wait(&begin);
    if (wanted[number] < 0) return NULL;
    WorkOften(wanted[number]);
    pthread_barrier_wait(&end);
  }
}

__attribute__((no_instrument_function)) static void Handler(int signal) { came += signal == SIGUSR2; }

__attribute__((no_instrument_function)) static void Tell(long times) {
  for (int i = 1; i < threads; ++i) wanted[i] = times;
  if (threads > 1) pthread_barrier_wait(&begin);
}

__attribute__((no_instrument_function)) static void Answer(void) {
  printf("ok %d\n", (int)came);
  fflush(stdout);
}

/* Not instrumented, so that nothing is called between a line and its answer but what the line says. */
__attribute__((no_instrument_function)) static int NextLine(char* line, int size) {
#ifdef WITH_MPI
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 && fgets(line, size, stdin) == NULL) strcpy(line, "end\n");
  MPI_Bcast(line, size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return 1;
#else
  return fgets(line, size, stdin) != NULL;
#endif
}

__attribute__((no_instrument_function)) static void Done(void) {
#ifdef WITH_MPI
  int rank;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
#endif
  Answer();
}

__attribute__((noinline)) int Serve(void) {
  char line[128];
  while (NextLine(line, sizeof line)) {
    long times;
    if (strncmp(line, "end", 3) == 0) return 0;
    if (strncmp(line, "up", 2) == 0) {
      return 1;
    } else if (strncmp(line, "deeper", 6) == 0) {
      Done();
      if (Serve() == 0) return 0;
    } else if (strncmp(line, "mine", 4) == 0) {
      struct sigaction action;
      memset(&action, 0, sizeof action);
      action.sa_handler = Handler;
      action.sa_flags = SA_RESTART;
      sigaction(SIGUSR2, &action, NULL);
    } else if (sscanf(line, "thread %ld", &times) == 1) {
      pthread_t another;
      pthread_create(&another, NULL, WorkApart, &times);
      pthread_join(another, NULL);
    } else if (sscanf(line, "work %ld", &times) == 1) {
      Tell(times);
      WorkOften(times);
      if (threads > 1) pthread_barrier_wait(&end);
    }
    Done();
  }
  return 0;
}

int main(int argc, char** argv) {
  pthread_t thread[kMostThreads];
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
#endif
  threads = argc > 1 ? atoi(argv[1]) : 1;
  pthread_barrier_init(&begin, NULL, (unsigned)threads);
  pthread_barrier_init(&end, NULL, (unsigned)threads);
  for (long i = 1; i < threads; ++i) pthread_create(&thread[i], NULL, Helper, (void*)i);
  Work();
  Done();
  Serve();
  Tell(-1);
  for (int i = 1; i < threads; ++i) pthread_join(thread[i], NULL);
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
