// SPDX-License-Identifier: BSD-3-Clause
// One thread works, the others wait; tasks that others run; numbers that must not depend on being measured.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void Spin(double seconds) {
  const double end = omp_get_wtime() + seconds;
  while (omp_get_wtime() < end) {
  }
}

static double Unequal(int rounds) {
  double spent = 0;
  for (int i = 0; i < rounds; ++i) {
#pragma omp parallel
    {
      const double begin = omp_get_wtime();
      if (omp_get_thread_num() == 0) Spin(0.005);
      if (omp_get_thread_num() == 0) spent += omp_get_wtime() - begin;
    }
    Spin(0.002);
  }
  return spent;
}

static double Tasks(int tasks) {
  double spent = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task shared(spent)
    {
      const double begin = omp_get_wtime();
      Spin(0.002);
      const double took = omp_get_wtime() - begin;
#pragma omp atomic
      spent += took;
    }
  }
  return spent;
}

// Each task is suspended three times, and continues on a thread that is free.
static double Untied(int tasks) {
  double spent = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; ++i) {
#pragma omp task untied shared(spent)
    {
      for (int part = 0; part < 4; ++part) {
        const double begin = omp_get_wtime();
        Spin(0.0005);
        const double took = omp_get_wtime() - begin;
#pragma omp atomic
        spent += took;
#pragma omp taskyield
      }
    }
  }
  return spent;
}

// Regions with all threads, then with fewer, then no region. Prints the least and the most time in the regions with
// fewer.
static void Limited(int rounds) {
  double least = 0, most = 0;
  int there = 0;
#pragma omp parallel
#pragma omp atomic
  ++there;
  for (int i = 0; i < rounds; ++i) {
    const double begin = omp_get_wtime();
#pragma omp parallel num_threads(1 + i % 2)
    if (omp_get_thread_num() == 0) {
      const double inner = omp_get_wtime();
      Spin(0.004);
      least += omp_get_wtime() - inner;
    }
    most += omp_get_wtime() - begin;
    Spin(0.002);
  }
  printf("threads %d\nleast %.9f\nmost %.9f\n", there, least, most);
}

// Teams of three and of two within a region. With libgomp, threads of such teams end with them.
static void Inner(int rounds) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    for (int i = 0; i < rounds; ++i) {
#pragma omp parallel num_threads(3)
      Spin(0.0005);
#pragma omp parallel num_threads(2)
      Spin(0.002);
    }
  }
}

static void* Pthread(void* rounds) {
  Unequal(*(int*)rounds);
  return NULL;
}

static void Numbers(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum) num_threads(1)
  for (int i = 1; i < 100000; ++i) sum += 1.0 / i;
  double field[1000];
#pragma omp parallel for schedule(dynamic, 7)
  for (int i = 0; i < 1000; ++i) field[i] = sum / (i + 1);
  for (int i = 0; i < 1000; ++i) sum += field[i];
  double parts[64] = {0};
#pragma omp parallel
  {
    double mine = 0;
#pragma omp for schedule(static)
    for (int i = 0; i < 1000; ++i) mine += field[i] / 3;
    parts[omp_get_thread_num()] = mine;
  }
  for (int i = 0; i < 64; ++i) sum += parts[i];
  printf("sum %a\n", sum);
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "unequal";
  int rounds = argc > 2 ? atoi(argv[2]) : 10;
  if (strcmp(what, "unequal") == 0) printf("spent %.6f\n", Unequal(rounds));
  if (strcmp(what, "tasks") == 0) printf("spent %.6f\n", Tasks(rounds));
  if (strcmp(what, "untied") == 0) printf("spent %.6f\n", Untied(rounds));
  if (strcmp(what, "numbers") == 0) Numbers();
  if (strcmp(what, "limited") == 0) Limited(rounds);
  if (strcmp(what, "inner") == 0) Inner(rounds);
  if (strcmp(what, "pthreads") == 0) {
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i) pthread_create(&threads[i], NULL, Pthread, &rounds);
    for (int i = 0; i < 3; ++i) pthread_join(threads[i], NULL);
  }
  if (strcmp(what, "fork") == 0) {
    if (fork() == 0) {
      printf("child %.6f\n", Unequal(rounds));
      fflush(stdout);
      return 0;
    }
    printf("parent %.6f\n", Unequal(rounds));
    fflush(stdout);
    wait(NULL);
  }
  if (strcmp(what, "exit") == 0) {
    Unequal(rounds);
#pragma omp parallel
    {
      Spin(0.01);
      if (omp_get_thread_num() == 1) exit(3);
      Spin(10);
    }
  }
  if (strcmp(what, "kill") == 0) {
    Unequal(rounds);
    raise(SIGKILL);
  }
  return 0;
}
