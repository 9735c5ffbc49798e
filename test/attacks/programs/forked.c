// SPDX-License-Identifier: BSD-3-Clause
// Forks while another thread holds a lock of the loader or of malloc. The children call instrumented functions and end
// by _exit. Without EPIK they need no lock at all.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

static volatile int sink, in_place, may_leave;

MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void childs(void) {
  for (int i = 0; i < 3; ++i) leaf();
}
MEASURED void parents(void) { leaf(); }

// ---- a malloc with a lock that no fork knows

#ifdef OWN_MALLOC
static pthread_mutex_t heap_lock = PTHREAD_MUTEX_INITIALIZER;
static char heap[256 << 20] __attribute__((aligned(16)));
static size_t heap_used;

BARE void* malloc(size_t bytes) {
  pthread_mutex_lock(&heap_lock);
  size_t* block = (size_t*)(heap + heap_used);
  const size_t room = (bytes + 31) & ~(size_t)15;
  heap_used += room;
  pthread_mutex_unlock(&heap_lock);
  if (heap_used > sizeof heap) return NULL;
  *block = bytes;
  return block + 2;
}
BARE void free(void* block) { (void)block; }
BARE void* calloc(size_t count, size_t bytes) { return malloc(count * bytes); }
BARE void* realloc(void* block, size_t bytes) {
  void* larger = malloc(bytes);
  if (block != NULL && larger != NULL) {
    const size_t before = ((size_t*)block)[-2];
    memcpy(larger, block, before < bytes ? before : bytes);
  }
  return larger;
}

BARE static void* hold_malloc(void* unused) {
  pthread_mutex_lock(&heap_lock);
  in_place = 1;
  while (!may_leave) usleep(1000);
  pthread_mutex_unlock(&heap_lock);
  return unused;
}
#endif

// ---- the loader

// A library's constructor calls this, and so keeps the loader's lock.
BARE void wait_in_the_loader(void) {
  in_place = 1;
  while (!may_leave) usleep(1000);
}

BARE static void* hold_loader(void* unused) {
  dlopen(guest_argv[2], RTLD_NOW);
  return unused;
}

BARE static void* load_again_and_again(void* unused) {
  in_place = 1;
  while (!may_leave) {
    void* library = dlopen(guest_argv[2], RTLD_NOW);
    if (library != NULL) dlclose(library);
  }
  return unused;
}

// ----

// Returns the number of children that did not end.
BARE static int forks(void* (*holds)(void*), int children, pid_t (*fork_function)(void), int parent_first) {
  if (parent_first) parents();
  pthread_t thread;
  pthread_create(&thread, NULL, holds, NULL);
  while (!in_place) usleep(1000);
  int stuck = 0;
  for (int i = 0; i < children; ++i) {
    const pid_t child = fork_function();
    if (child == 0) {
      childs();
      _exit(3);
    }
    int status = 0;
    for (int waited = 0; waitpid(child, &status, WNOHANG) == 0; ++waited) {
      usleep(1000);
      if (waited < 20000) continue;
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    stuck += !(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    if (stuck != 0) break;
  }
  may_leave = 1;
  pthread_join(thread, NULL);
  if (!parent_first) parents();
  char text[32];
  const int length = snprintf(text, sizeof text, "stuck %d\n", stuck);
  return write(1, text, (size_t)length) == length ? 0 : 1;
}

BARE static int loader(void) { return forks(hold_loader, 3, fork, 1); }
BARE static int loader_first(void) { return forks(hold_loader, 3, fork, 0); }
BARE static int loader_unannounced(void) { return forks(hold_loader, 3, _Fork, 1); }
BARE static int loading(void) { return forks(load_again_and_again, (int)guest_number(2, 100), fork, 1); }
#ifdef OWN_MALLOC
BARE static int malloced(void) { return forks(hold_malloc, 3, fork, 1); }
BARE static int malloced_first(void) { return forks(hold_malloc, 3, fork, 0); }
#endif

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"loader", loader},
                                            {"loader_first", loader_first},
                                            {"loader_unannounced", loader_unannounced},
                                            {"loading", loading},
#ifdef OWN_MALLOC
                                            {"malloced", malloced},
                                            {"malloced_first", malloced_first},
#endif
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
