// SPDX-License-Identifier: BSD-3-Clause
// Touches a known number of pages, and ends or jumps about in odd ways: kill, fork, jump, signals, grow, exit.
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define PAGES 4096
static char* fresh;
static long next;

__attribute__((noinline, noclone)) void touch(long count) {
  for (long i = 0; i < count; ++i) ((volatile char*)fresh)[next++ * PAGE] = 1;
}

static jmp_buf back;
__attribute__((noinline, noclone)) void leave(int depth) {
  if (depth > 0) leave(depth - 1);
  touch(10);
  longjmp(back, 1);
}

__attribute__((noinline, noclone)) int small(int value) { return value + 1; }

static void handler(int signal) {
  (void)signal;
  small(1);
}

__attribute__((noinline, noclone)) void end(int depth) {
  touch(5);
  if (depth > 0) end(depth - 1);
  for (int i = 0; i < 7; ++i) ((volatile char*)fresh)[next++ * PAGE] = 1;
  exit(0);
}

static void with_signals(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigaction(SIGALRM, &action, NULL);
  const struct itimerval often = {{0, 300}, {0, 300}};
  raise(SIGALRM);  // its part of the stack was used before
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 600; ++i) {
    touch(1);
    for (volatile int spin = 0; spin < 2000; ++spin) continue;
  }
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  fresh = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return 1;
  madvise(fresh, PAGES * PAGE, MADV_NOHUGEPAGE);
  touch(0);
  if (strcmp(how, "kill") == 0) {
    touch(30);
    small(1);
    kill(getpid(), SIGKILL);
  } else if (strcmp(how, "fork") == 0) {
    touch(10);
    const pid_t child = fork();
    if (child == 0) {
      next = 10;  // from here on the child has its own page of the variables
      touch(0);
      touch(20);
      exit(0);
    }
    waitpid(child, NULL, 0);
  } else if (strcmp(how, "jump") == 0) {
    for (volatile int i = 0; i < 4; ++i) {
      if (setjmp(back) == 0) leave(3);
    }
  } else if (strcmp(how, "signals") == 0) {
    with_signals();
  } else if (strcmp(how, "grow") == 0) {
    touch(4000);  // the resident size has its peak here, and keeps it
    exit(0);
  } else if (strcmp(how, "exit") == 0) {
    end(2);
  }
  return 0;
}
