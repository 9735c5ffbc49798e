// SPDX-License-Identifier: BSD-3-Clause
// Programs that change their surroundings: descriptors, folders, rights, limits, environment.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

static volatile int sink;
MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void work(void) {
  for (int i = 0; i < 10; ++i) leaf();
}

MEASURED static int plain(void) {
  work();
  puts("plain");
  return (int)guest_number(1, 0);
}

static int errno_of_main;

// libc promises nothing about errno at the begin of main. A program that prints it looks the same with EPIK all the
// same.
MEASURED static int tells_errno(void) {
  work();
  printf("errno %d\n", errno_of_main);
  return 0;
}

// ---- descriptors

MEASURED static int closes_from(void) {
  work();
  close_range((unsigned)guest_number(1, 3), ~0u, 0);
  work();
  return 0;
}

// Calls until the trace has to be written, when no file can be opened.
MEASURED static int uses_up_descriptors(void) {
  struct rlimit before, none;
  if (getrlimit(RLIMIT_NOFILE, &before) != 0) return 1;
  none = before;
  none.rlim_cur = 0;
  if (setrlimit(RLIMIT_NOFILE, &none) != 0) return 1;
  for (int i = 0; i < 10000; ++i) work();
  return setrlimit(RLIMIT_NOFILE, &before) != 0;
}

// Files of the program get the numbers 0 to 2: output of ours there would damage them.
MEASURED static int reopens(void) {
  work();
  close_range(0, ~0u, 0);
  for (int i = 0; i < 5; ++i) {
    char name[16];
    snprintf(name, sizeof name, "data%d", i);
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (fd != i || write(fd, "data\n", 5) != 5) return 1;
  }
  if (guest_number(1, 0) != 0) abort();
  return 0;
}

// ---- folders and rights

MEASURED static int changes_folder(void) {
  work();
  if (chdir("/") != 0) return 1;
  work();
  return 0;
}

BARE static int changes_folder_before_the_first_event(void) {
  if (chdir("/") != 0) return 1;
  work();
  return 0;
}

MEASURED static int becomes_nobody(void) {
  work();
  if (setgroups(0, NULL) != 0 || setgid(65534) != 0 || setuid(65534) != 0) return 1;
  work();
  return (int)guest_number(1, 0);
}

MEASURED static int locked_up(void) {
  work();
  if (chroot(".") != 0 || chdir("/") != 0) return 1;
  work();
  if (guest_number(1, 0) != 0) abort();
  return 0;
}

// The archive's folder is removed while the program runs.
MEASURED static int tidies_up(void) {
  work();
  if (system("rm -rf epik_*") != 0) return 1;
  work();
  return 0;
}

MEASURED static int masks(void) {
  umask(0777);
  work();
  return 0;
}

// ---- limits

BARE static int limit(int what, rlim_t value) {
  struct rlimit limits;
  getrlimit(what, &limits);
  limits.rlim_cur = value;
  return setrlimit(what, &limits);
}

MEASURED static int few_files(void) {
  work();
  limit(RLIMIT_NOFILE, (rlim_t)guest_number(1, 3));
  work();
  if (guest_number(2, 0) != 0) _exit(2);
  return 0;
}

MEASURED static int small_files(void) {
  work();
  limit(RLIMIT_FSIZE, (rlim_t)guest_number(1, 0));
  work();
  if (guest_number(2, 0) != 0) _exit(2);
  return 0;
}

MEASURED static int no_processes(void) {
  work();
  limit(RLIMIT_NPROC, 0);
  if (setuid(65534) != 0) return 1;
  work();
  _exit(2);
}

// Takes most of the address space that it is allowed.
MEASURED static int takes_memory(void) {
  work();
  struct rlimit limits;
  getrlimit(RLIMIT_AS, &limits);
  char* all = malloc(limits.rlim_cur / 4 * 3);
  if (all == NULL) return 1;
  all[0] = 1;
  work();
  free(all);
  return 0;
}

// ---- environment

MEASURED static int clears(void) {
  work();
  clearenv();
  work();
  return environ == NULL ? 0 : 1;
}

MEASURED static int environment(void) {
  work();
  printf("%s %s %zu\n", getenv("HOME") != NULL ? "home" : "no home", strrchr(guest_argv[0], '/') + 1,
         getenv("HUGE") != NULL ? strlen(getenv("HUGE")) : 0);
  return 0;
}

// Many call paths, so that the measurement grows until the disk is full.
void __cyg_profile_func_enter(void*, void*);
void __cyg_profile_func_exit(void*, void*);
MEASURED static int grows(void) {
  work();
  for (long i = 0; i < guest_number(1, 50000); ++i) {
    void* const key = (char*)plain + i;
    __cyg_profile_func_enter(key, NULL);
    __cyg_profile_func_exit(key, NULL);
  }
  work();
  return 0;
}

// The child has memory of its own.
MEASURED static int forks_when_full(void) {
  grows();
  const pid_t child = fork();
  if (child == 0) {
    work();
    exit(3);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child ? WEXITSTATUS(status) : 97;
}

// The measurement begins where the address space has room for its memory, or for a part of it.
BARE static int little_room(void) {
  FILE* sizes = fopen("/proc/self/statm", "r");
  long pages = 0;
  if (sizes == NULL || fscanf(sizes, "%ld", &pages) != 1) return 98;
  fclose(sizes);
  limit(RLIMIT_AS, (rlim_t)(pages * sysconf(_SC_PAGESIZE) + guest_number(1, 0)));
  work();
  return 3;
}

// 180 602 call paths of 602 functions. Writes down how much CPU time the process has used when all are made.
MEASURED static int branches(void) {
  static char functions[2 + 300 + 300];
  for (int i = 0; i < 2; ++i) {
    __cyg_profile_func_enter(functions + i, NULL);
    for (int j = 2; j < 302; ++j) {
      __cyg_profile_func_enter(functions + j, NULL);
      for (int k = 302; k < 602; ++k) {
        __cyg_profile_func_enter(functions + k, NULL);
        __cyg_profile_func_exit(functions + k, NULL);
      }
      __cyg_profile_func_exit(functions + j, NULL);
    }
    __cyg_profile_func_exit(functions + i, NULL);
  }
  FILE* file = fopen("used_ns", "w");
  struct timespec used;
  if (file == NULL || clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 1;
  fprintf(file, "%lld\n", used.tv_sec * 1000000000LL + used.tv_nsec);
  return fclose(file);
}

BARE int main(int argc, char** argv) {
  errno_of_main = errno;
  static const struct guest_case cases[] = {{"plain", plain},
                                            {"tells_errno", tells_errno},
                                            {"closes_from", closes_from},
                                            {"reopens", reopens},
                                            {"uses_up_descriptors", uses_up_descriptors},
                                            {"changes_folder", changes_folder},
                                            {"changes_first", changes_folder_before_the_first_event},
                                            {"becomes_nobody", becomes_nobody},
                                            {"locked_up", locked_up},
                                            {"tidies_up", tidies_up},
                                            {"masks", masks},
                                            {"few_files", few_files},
                                            {"small_files", small_files},
                                            {"no_processes", no_processes},
                                            {"takes_memory", takes_memory},
                                            {"clears", clears},
                                            {"environment", environment},
                                            {"grows", grows},
                                            {"forks_when_full", forks_when_full},
                                            {"little_room", little_room},
                                            {"branches", branches},
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
