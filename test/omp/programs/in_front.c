// SPDX-License-Identifier: BSD-3-Clause
// A library in front of EPIK's that makes all threads, as a sanitizer's runtime does. EPIK sees this library as the
// caller, and not OpenMP.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  int (*next)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*) =
      (int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*))dlsym(RTLD_NEXT, "pthread_create");
  return next(thread, attributes, start, argument);
}
