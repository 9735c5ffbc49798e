/* SPDX-License-Identifier: BSD-3-Clause
 * Pauses: nested, in one of several threads, unbalanced, across the end of a thread and of the program. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "epik/epik.h"

EPIK_USER_REG(seen, "seen");
EPIK_USER_REG(hidden, "hidden");

static void see(int n) {
  for (int i = 0; i < n; ++i) {
    EPIK_USER_START(seen);
    EPIK_USER_END(seen);
  }
}

static void hide(int n) {
  for (int i = 0; i < n; ++i) {
    EPIK_USER_START(hidden);
    EPIK_METRIC("hidden metric", "1", 1);
    EPIK_PARAMETER("hidden parameter", i);
    EPIK_USER_END(hidden);
  }
}

static void *in_thread(void *how) {
  see(2);
  if (how) {
    EPIK_PAUSE_START();
    hide(7);
    if (strcmp(how, "ends") == 0) return NULL; /* paused to its end */
    EPIK_PAUSE_END();
  }
  see(3);
  return NULL;
}

static void run_thread(const char *how) {
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, (void *)how);
  pthread_join(thread, NULL);
}

/* One function begins a pause and another one ends it. */
static void off(void) { EPIK_PAUSE_START(); }

static void on(void) {
  EPIK_PAUSE_END();
  see(1);
}

static void off_deep(int n) {
  volatile char room[64 * (n + 1)];
  room[n] = 0;
  if (n == 0) off();
  n += room[n];
  if (n != 0) off_deep(n - 1);
  hide(1);
}

static void on_deep(int n) {
  hide(n);
  if (n == 0) EPIK_PAUSE_END();
  if (n != 0) on_deep(n - 1);
  see(1);
}

static void within(int n) {
  hide(1);
  if (n != 0) within(n - 1);
}

static void functions(void) {
  for (int i = 0; i < 3; ++i) {
    off();
    within(3);
    on();
    see(1);
  }
  off_deep(3);
  within(2);
  on_deep(2);
  see(1);
  EPIK_USER_START(seen);
  EPIK_PAUSE_START();
  EPIK_USER_END(seen);
  EPIK_PAUSE_END();
  see(1);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  int measuring;
  EPIK_PAUSE_END(); /* one too many is ignored */
  see(1);
  EPIK_PAUSE_START();
  measuring = epik_is_measuring ? epik_is_measuring() : 0;
  EPIK_PAUSE_START();
  hide(10);
  EPIK_PAUSE_END();
  hide(10);
  EPIK_PAUSE_END();
  EPIK_PAUSE_END();
  see(1);
  if (epik_is_measuring) printf("%d %d\n", measuring, epik_is_measuring());
  if (strcmp(what, "threads") == 0) {
    pthread_t other;
    pthread_create(&other, NULL, in_thread, NULL);
    run_thread("returns");
    run_thread("ends");
    run_thread(NULL);
    pthread_join(other, NULL);
    EPIK_PAUSE_START();
    run_thread(NULL); /* the pause is this thread's alone */
    EPIK_PAUSE_END();
  }
  if (strcmp(what, "functions") == 0) functions();
  if (strcmp(what, "exit") == 0) {
    EPIK_PAUSE_START();
    hide(5);
  }
  if (strcmp(what, "fork") == 0) {
    int status;
    EPIK_PAUSE_START();
    fflush(stdout);
    if (fork() == 0) {
      hide(3);
      EPIK_PAUSE_END();
      see(4);
      return 0;
    }
    wait(&status);
    hide(1);
    EPIK_PAUSE_END();
    return status != 0;
  }
  return 0;
}
