// SPDX-License-Identifier: BSD-3-Clause
// A program with special rights, or one that sets the state of such a program.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

static volatile int sink;
MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void work(void) {
  for (int i = 0; i < 10; ++i) leaf();
}

// Says whether the kernel gave the program rights at all: if not, there is nothing to test.
BARE static int started_with_rights(void) {
  printf("secure %lu\n", getauxval(AT_SECURE));
  work();
  return 0;
}

BARE static int not_dumpable(void) {
  prctl(PR_SET_DUMPABLE, 0);
  work();
  return 0;
}

BARE static int other_effective_user(void) {
  if (seteuid(65534) != 0) return 1;
  work();
  return 0;
}

BARE static int says_so(void) {
  work();
  return write(1, "done\n", 5) == 5 ? 0 : 1;
}

// ---- little stack

MEASURED static void* leave(void* unused) {
  (void)unused;
  work();
  exit(7);
}

static void* start(void* unused) { return leave(unused); }

BARE static int exits_from_a_small_stack(void) {
  leaf();  // the measurement starts here, as in most programs
  const size_t bytes = (size_t)guest_number(1, 16) << 10;
  const size_t below = 64 * 4096;
  // Below the stack there is no guard page but data of the program: a file, so that the test can look at it afterwards.
  const int fd = open("below", O_RDWR | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || ftruncate(fd, (off_t)(below + bytes)) != 0) return 1;
  char* memory = mmap(NULL, below + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  memset(memory, 0x5a, below);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_t thread;
  if (pthread_attr_setstack(&attributes, memory + below, bytes) != 0) return 2;
  if (pthread_create(&thread, &attributes, start, NULL) != 0) return 3;
  pthread_join(thread, NULL);
  return 4;
}

BARE static int waits(void) {
  work();
  puts("ready");
  fflush(stdout);
  pause();
  return 0;
}

// All other cases begin with an event, as most programs do.
MEASURED static int locked_up(void) {
  work();
  if (chroot(".") != 0 || chdir("/") != 0) return 1;
  work();
  return 0;
}

MEASURED static int locked_up_and_killed_by_itself(void) {
  work();
  if (chroot(".") != 0 || chdir("/") != 0) return 1;
  work();
  _exit(0);
}

// Mounts another file system over the library's folder.
MEASURED static int mounts_over(void) {
  work();
  const char* at = guest_argv[2];
  const char* from = guest_argv[3];
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return 1;
  if (mount(from, at, NULL, MS_BIND, NULL) != 0) return 1;
  work();
  return 0;
}

// A relative name of the library now means another folder.
MEASURED static int changes_folder(void) {
  work();
  if (chdir(guest_argv[2]) != 0) return 1;
  work();
  return 0;
}

int main(int argc, char** argv) __attribute__((no_instrument_function));
int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"started_with_rights", started_with_rights},
                                            {"says_so", says_so},
                                            {"waits", waits},
                                            {"exits_from_a_small_stack", exits_from_a_small_stack},
                                            {"not_dumpable", not_dumpable},
                                            {"other_effective_user", other_effective_user},
                                            {"locked_up", locked_up},
                                            {"locked_up_and_killed_by_itself", locked_up_and_killed_by_itself},
                                            {"mounts_over", mounts_over},
                                            {"changes_folder", changes_folder},
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
