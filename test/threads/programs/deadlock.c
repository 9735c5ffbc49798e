// SPDX-License-Identifier: BSD-3-Clause
// Two threads each have the mutex that the other wants. When both wait, the program kills itself.
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int have;  // threads that have one

static void* want(void* other) {
  pthread_mutex_t* mine = other == &left ? &right : &left;
  pthread_mutex_lock(mine);
  __atomic_add_fetch(&have, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&have, __ATOMIC_SEQ_CST) < 2) usleep(100);
  pthread_mutex_lock(other);
  return NULL;
}

// Glibc's lock has the value 2 when somebody waits for it.
static int is_waited_for(const pthread_mutex_t* mutex) {
  return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_SEQ_CST) == 2;
}

int main(void) {
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, want, &left);
  pthread_create(&threads[1], NULL, want, &right);
  while (!is_waited_for(&left) || !is_waited_for(&right)) usleep(1000);
  kill(getpid(), SIGKILL);
  return 0;
}
