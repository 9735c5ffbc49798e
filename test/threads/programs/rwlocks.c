// SPDX-License-Identifier: BSD-3-Clause
// A reader-writer lock. Thread 1 writes while 2 and 3 want to read; then 2 and 3 read while 1 wants to write. "held
// THREAD ASKED GOT FREED" lines, in nanoseconds, tell the program's own times, in the order in which the threads had
// the lock.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spend.h"

enum { kThreads = 3 };
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct { int64_t asked, got, freed; } held[2][kThreads];
static int begun, wants, reads;

UNMEASURED static void Await(const int* count, int number) {
  while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < number) usleep(100);
}
UNMEASURED static void Count(int* count) { __atomic_add_fetch(count, 1, __ATOMIC_SEQ_CST); }

__attribute__((noinline)) static void write_it(void) { Spend(60000000); }
__attribute__((noinline)) static void read_it(void) { Spend(50000000); }

static void* writer(void* unused) {
  Count(&begun);
  held[0][0].asked = Now();
  pthread_rwlock_wrlock(&lock);
  held[0][0].got = Now();
  Count(&wants);
  write_it();
  held[0][0].freed = Now();
  pthread_rwlock_unlock(&lock);
  Await(&reads, 2);
  held[1][0].asked = Now();
  pthread_rwlock_wrlock(&lock);
  held[1][0].got = Now();
  pthread_rwlock_unlock(&lock);
  return unused;
}

static void* reader(void* number) {
  const intptr_t me = (intptr_t)number;
  Count(&begun);
  Await(&wants, 1);
  held[0][me].asked = Now();
  pthread_rwlock_rdlock(&lock);
  held[0][me].got = Now();
  Count(&reads);
  read_it();
  held[0][me].freed = Now();
  pthread_rwlock_unlock(&lock);
  return NULL;
}

int main(void) {
  pthread_t threads[kThreads];
  for (intptr_t i = 0; i < kThreads; ++i) {  // one after the other, so that EPIK gives them the same order
    pthread_create(&threads[i], NULL, i == 0 ? writer : reader, (void*)i);
    Await(&begun, (int)i + 1);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < (round == 0 ? kThreads : 1); ++i) {
      printf("held %d %lld %lld %lld\n", i + 1, (long long)held[round][i].asked, (long long)held[round][i].got,
             (long long)held[round][i].freed);
    }
  }
  return 0;
}
