// SPDX-License-Identifier: BSD-3-Clause
// Processes from processes.     forks HOW [CALLS]
//
// HOW: exit    the child works and calls exit           _exit   … and calls _exit
//      exec    the child becomes `forks none`            run     both run on and return from main
//      thread  a thread other than main forks            vfork   vfork and exec
//      spawn   posix_spawn of `forks none`               many    20 children, one after the other
//      nested  the child forks again                     none    no child
// Every process calls Work CALLS times before and (unless it became another) 10 times after.
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static volatile long worked;
static long calls = 1000;
static const char kSelf[] = "/proc/self/exe";

__attribute__((noinline)) void Work(void) { ++worked; }

__attribute__((noinline)) void WorkSome(long times) {
  for (long i = 0; i < times; ++i) Work();
}

__attribute__((noinline)) void Tell(const char* who) {
  printf("%s worked %ld\n", who, worked);
  fflush(stdout);
}

__attribute__((noinline)) int Await(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

char** SelfWithNone(void) {
  static char name[] = "forks", none[] = "none", few[] = "5";
  static char* again[] = {name, none, few, NULL};
  return again;
}

__attribute__((noinline)) void ChildBody(const char* how) {
  WorkSome(10);
  if (strcmp(how, "exec") == 0) execv(kSelf, SelfWithNone());
  if (strcmp(how, "nested") == 0 && fork() == 0)
    WorkSome(1);
  else if (strcmp(how, "nested") == 0)
    wait(NULL);
  Tell("child");
  if (strcmp(how, "_exit") == 0) _exit(4);
  if (strcmp(how, "run") != 0) exit(3);
}

__attribute__((noinline)) int ForkOne(const char* how) {
  const pid_t child = fork();
  if (child == 0) {
    ChildBody(how);
    return -1;
  }
  return Await(child);
}

void* ForkInThread(void* how) { return (void*)(long)ForkOne(how); }

__attribute__((noinline)) int FromThread(void) {
  pthread_t thread;
  void* status = NULL;
  pthread_create(&thread, NULL, ForkInThread, "exit");
  pthread_join(thread, &status);
  return (int)(long)status;
}

// Between vfork and exec the child lives in its parent's memory.
__attribute__((noinline)) int ByVfork(void) {
  char** again = SelfWithNone();
  const pid_t child = vfork();
  if (child == 0) {
    execv(kSelf, again);
    _exit(127);
  }
  return Await(child);
}

__attribute__((noinline)) int BySpawn(void) {
  pid_t child = 0;
  if (posix_spawn(&child, kSelf, NULL, NULL, SelfWithNone(), environ) != 0) return 127;
  return Await(child);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "exit";
  if (argc > 2) calls = atol(argv[2]);
  WorkSome(calls);
  int status = 0;
  if (strcmp(how, "thread") == 0)
    status = FromThread();
  else if (strcmp(how, "vfork") == 0)
    status = ByVfork();
  else if (strcmp(how, "spawn") == 0)
    status = BySpawn();
  else if (strcmp(how, "many") == 0)
    for (int i = 0; i < 20; ++i) status += ForkOne("exit");
  else if (strcmp(how, "none") != 0)
    status = ForkOne(how);
  WorkSome(10);
  if (status < 0) return 0;  // the child that runs on
  Tell(strcmp(how, "none") == 0 ? "new program" : "parent");
  if (strcmp(how, "none") != 0) printf("status %d\n", status);
  return 0;
}
