// SPDX-License-Identifier: BSD-3-Clause
// Programs that become two, or another one.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

extern char** environ;

static volatile int sink;
MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void parents(void) { leaf(); }
MEASURED void childs(void) { leaf(); }

BARE static void repeat(void (*function)(void), int times) {
  for (int i = 0; i < times; ++i) function();
}

BARE static int collect(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 97;
  // No other child may turn up here.
  if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) return 96;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

MEASURED static int forks(pid_t (*fork_function)(void)) {
  repeat(parents, 10);
  const pid_t child = fork_function();
  if (child == 0) {
    repeat(childs, 7);
    exit(3);
  }
  repeat(parents, 10);
  const int status = collect(child);
  repeat(parents, 10);
  return status;
}

MEASURED static int child_runs_on(void) { return forks(fork); }
MEASURED static int child_unannounced(void) { return forks(_Fork); }

MEASURED static int child_exits(void) {
  repeat(parents, 10);
  const pid_t child = fork();
  if (child == 0) _exit(3);
  const int status = collect(child);
  repeat(parents, 10);
  return status;
}

MEASURED static int child_crashes(void) {
  repeat(parents, 10);
  const pid_t child = fork();
  if (child == 0) {
    repeat(childs, 7);
    raise(SIGTERM);
  }
  return collect(child);
}

MEASURED static int child_execs(void) {
  repeat(parents, 10);
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sh", "sh", "-c", "echo from the shell; exit 4", NULL);
    _exit(95);
  }
  const int status = collect(child);
  repeat(parents, 10);
  return status;
}

MEASURED static int many_children(void) {
  for (int i = 0; i < 20; ++i) {
    repeat(parents, 1);
    const pid_t child = fork();
    if (child == 0) {
      repeat(childs, i);
      exit(i);
    }
    if (collect(child) != i) return 1;
  }
  return 0;
}

static int thread_result;
MEASURED void* forking_body(void* unused) {
  thread_result = forks(fork);
  return unused;
}

MEASURED void* busy_body(void* unused) {
  for (;;) leaf();
  return unused;
}

MEASURED static int fork_from_thread(void) {
  pthread_t busy, thread;
  pthread_create(&busy, NULL, busy_body, NULL);
  pthread_create(&thread, NULL, forking_body, NULL);
  pthread_join(thread, NULL);
  return thread_result;
}

MEASURED static int fork_at_exit_status(void) { return forks(fork); }
BARE static void at_exit_fork(void) { printf("%d\n", fork_at_exit_status()); }
MEASURED static int fork_at_exit(void) {
  atexit(at_exit_fork);
  repeat(parents, 10);
  return 0;
}

// ---- vfork, spawn, system, popen

MEASURED static void become(const char* text) {
  leaf();
  execl("/bin/sh", "sh", "-c", text, NULL);
  _exit(95);
}

MEASURED static int vforks(void) {
  repeat(parents, 10);
  for (int i = 0; i < 5; ++i) {
    const pid_t child = vfork();
    if (child == 0) become("exit 4");
    const int status = collect(child);
    if (status != 4) return status;
  }
  const pid_t child = vfork();
  if (child == 0) _exit(5);
  const int status = collect(child);
  repeat(parents, 10);
  return status;
}

MEASURED static int spawns(void) {
  char* words[] = {"sh", "-c", "echo spawned; exit 4", NULL};
  pid_t child;
  repeat(parents, 10);
  if (posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) != 0) return 1;
  const int status = collect(child);
  if (posix_spawnp(&child, "/no/such/program", NULL, NULL, words, environ) == 0) return 2;
  repeat(parents, 10);
  return status;
}

MEASURED static int systems(void) {
  repeat(parents, 10);
  const int status = system("echo from system; exit 4");
  char line[64] = "";
  FILE* pipe = popen("echo from popen", "r");
  if (pipe == NULL || fgets(line, sizeof line, pipe) == NULL) return 1;
  fputs(line, stdout);
  if (pclose(pipe) != 0) return 2;
  repeat(parents, 10);
  return WEXITSTATUS(status);
}

MEASURED static int daemons(void) {
  repeat(parents, 10);
  if (daemon(1, 1) != 0) return 1;
  repeat(childs, 7);
  return 0;
}

// ---- exec

MEASURED static int exec_shell(void) {
  repeat(parents, 10);
  fflush(stdout);
  execlp("sh", "sh", "-c", "echo another program; exit 6", NULL);
  return 1;
}

MEASURED static int exec_self(void) {
  repeat(parents, 10);
  execl("/proc/self/exe", guest_argv[0], "child_runs_on", NULL);
  return 1;
}

MEASURED static int exec_descriptor(void) {
  char* words[] = {"sh", "-c", "exit 6", NULL};
  repeat(parents, 10);
  fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), words, environ);
  return 1;
}

MEASURED static int exec_fails(void) {
  repeat(parents, 10);
  for (int i = 0; i < 5; ++i) {
    if (execl("/no/such/program", "x", NULL) != -1 || errno != ENOENT) return 1;
    if (execlp("no-such-program", "x", NULL) != -1 || errno != ENOENT) return 2;
    repeat(parents, 2);
  }
  if (waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD) return 3;
  return 0;
}

// No exec is a point of cancellation.
BARE static void* fails_to_exec(void* asked) {
  pthread_cancel(pthread_self());
  const int failed = execl("/no/such/program", "x", NULL) == -1 && errno == ENOENT;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  return failed ? asked : NULL;
}

MEASURED static int exec_fails_when_cancelled(void) {
  pthread_t thread;
  void* result;
  repeat(parents, 20);
  if (pthread_create(&thread, NULL, fails_to_exec, &thread) != 0 || pthread_join(thread, &result) != 0) return 1;
  return result == &thread ? 0 : 2;
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"child_runs_on", child_runs_on},
                                            {"child_unannounced", child_unannounced},
                                            {"child_exits", child_exits},
                                            {"child_crashes", child_crashes},
                                            {"child_execs", child_execs},
                                            {"many_children", many_children},
                                            {"fork_from_thread", fork_from_thread},
                                            {"fork_at_exit", fork_at_exit},
                                            {"vforks", vforks},
                                            {"spawns", spawns},
                                            {"systems", systems},
                                            {"daemons", daemons},
                                            {"exec_shell", exec_shell},
                                            {"exec_self", exec_self},
                                            {"exec_descriptor", exec_descriptor},
                                            {"exec_fails", exec_fails},
                                            {"exec_fails_when_cancelled", exec_fails_when_cancelled},
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
