// SPDX-License-Identifier: BSD-3-Clause
// A process of MPICH that waits for a message asks UCX for it again and again, and never gives its processor away.
// If there are more processes than processors, each message then waits until the scheduler's next turn. This function
// takes the place of UCX's in a program of a test: it sleeps when there is nothing to do for long.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>

enum { kPatience = 200, kPauseNs = 20000 };

__attribute__((no_instrument_function, visibility("default"))) unsigned ucp_worker_progress(void* worker) {
  static unsigned (*of_ucx)(void*);
  static __thread int in_vain;
  if (of_ucx == NULL) of_ucx = (unsigned (*)(void*))dlsym(RTLD_NEXT, "ucp_worker_progress");
  const unsigned done = of_ucx(worker);
  in_vain = done != 0 ? 0 : in_vain + 1;
  if (in_vain > kPatience) nanosleep(&(struct timespec){0, kPauseNs}, NULL);
  return done;
}
