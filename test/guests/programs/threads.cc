// SPDX-License-Identifier: BSD-3-Clause
// Threads by the thousand, threads that never end, and code that runs before main and after everything.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "guest.h"

volatile int sink;

extern "C" {

MEASURED void leaf() { sink = sink + 1; }

MEASURED void* short_body(void*) {
  leaf();
  return nullptr;
}

MEASURED int ten_thousand() {
  for (int round = 0; round < 1000; ++round) {
    pthread_t threads[10];
    for (pthread_t& thread : threads) {
      if (pthread_create(&thread, nullptr, short_body, nullptr) != 0) return 1;
    }
    if (round % 100 == 0) guest_spend();  // beside the threads
    for (const pthread_t& thread : threads) pthread_join(thread, nullptr);
  }
  return 0;
}

MEASURED int detached() {
  for (int i = 0; i < 500; ++i) std::thread([] { leaf(); }).detach();
  usleep(300000);
  return 0;
}

sem_t entered;
MEASURED void blocks() {
  sem_post(&entered);
  for (;;) pause();
}
MEASURED void spins() {
  sem_post(&entered);
  for (;;) leaf();
}

MEASURED int alive_at_exit() {
  sem_init(&entered, 0, 0);
  for (int i = 0; i < 3; ++i) {
    std::thread(blocks).detach();
    std::thread(spins).detach();
  }
  for (int i = 0; i < 6; ++i) sem_wait(&entered);
  return 5;
}

// Threads that end while the program does.
MEASURED int ending_at_exit() {
  for (int i = 0; i < 40; ++i)
    std::thread([i] {
      usleep(static_cast<useconds_t>(100 * i));
      leaf();
    }).detach();
  usleep(2000);
  return 0;
}

MEASURED int standard_threads(void*) {
  leaf();
  guest_spend();
  return 3;
}
BARE int starts_a_thread(void*) {
  pthread_t thread;
  return pthread_create(&thread, nullptr, short_body, nullptr) != 0 || pthread_join(thread, nullptr) != 0 ? 1 : 3;
}
MEASURED int c11_threads() {
  for (int i = 0; i < 20; ++i) {
    thrd_t thread;
    int result = 0;
    if (thrd_create(&thread, standard_threads, nullptr) != thrd_success) return 1;
    thrd_join(thread, &result);
    if (result != 3) return 2;
  }
  thrd_t thread;
  int result = 0;
  if (thrd_create(&thread, starts_a_thread, nullptr) != thrd_success) return 1;
  thrd_join(thread, &result);
  return result == 3 ? 0 : 2;
}

// ---- before and after

MEASURED void before_main() {
  leaf();
  guest_spend();
}
MEASURED void in_key_destructor() { leaf(); }
MEASURED void in_thread_local_destructor() {
  leaf();
  guest_spend();
}
MEASURED void in_exit_handler() {
  leaf();
  guest_spend();
}
MEASURED void in_static_destructor() {
  leaf();
  guest_spend();
}
MEASURED void in_destructor_function() {
  leaf();
  guest_spend();
}

__attribute__((constructor)) static void constructor() { before_main(); }
__attribute__((destructor)) static void destructor() { in_destructor_function(); }

static pthread_key_t keys[3];
// Again and again, as long as libc asks: the last round comes after all other thread data.
MEASURED static void key_destructor(void* rounds) {
  in_key_destructor();
  const auto left = reinterpret_cast<long>(rounds);
  if (left > 1) pthread_setspecific(keys[0], reinterpret_cast<void*>(left - 1));
}

struct ThreadData {
  MEASURED ~ThreadData() { in_thread_local_destructor(); }
  int used = 0;
};
thread_local ThreadData data;

MEASURED void* with_data(void*) {
  data.used = 1;
  pthread_setspecific(keys[0], reinterpret_cast<void*>(3L));
  leaf();
  guest_spend();
  return nullptr;
}

MEASURED int around() {
  atexit(in_exit_handler);
  for (int i = 0; i < 10; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, with_data, nullptr);
    pthread_join(thread, nullptr);
  }
  return 0;
}
}

struct Global {
  MEASURED Global() { pthread_key_create(&keys[0], key_destructor); }
  MEASURED ~Global() { in_static_destructor(); }
};
static Global global;

BARE int main(int argc, char** argv) {
  static const guest_case cases[] = {{"ten_thousand", ten_thousand},
                                     {"detached", detached},
                                     {"alive_at_exit", alive_at_exit},
                                     {"ending_at_exit", ending_at_exit},
                                     {"c11_threads", c11_threads},
                                     {"around", around},
                                     {nullptr, nullptr}};
  return guest_main(argc, argv, cases);
}
