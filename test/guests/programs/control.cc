// SPDX-License-Identifier: BSD-3-Clause
// Ways out of a function other than returning from it.
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <thread>

#include "guest.h"

namespace {

volatile int sink;
jmp_buf target;
sigjmp_buf signal_target;
char alternate[1 << 16];

}  // namespace

extern "C" {

MEASURED void leaf() { sink = sink + 1; }

// ---- exceptions

MEASURED void thrower(int depth) {
  if (depth == 0) throw std::runtime_error("thrown");
  thrower(depth - 1);
}

MEASURED void catcher() {
  try {
    thrower(4);
  } catch (const std::exception& problem) {
    printf("%s\n", problem.what());
  }
  leaf();
}

MEASURED int exceptions() {
  for (int i = 0; i < 100; ++i) catcher();
  return 0;
}

// ---- longjmp

MEASURED void jumper(int depth) {
  if (depth == 0) longjmp(target, 1);
  jumper(depth - 1);
}

MEASURED void lands() {
  if (setjmp(target) == 0) jumper(3);
  leaf();
}

MEASURED int jumps() {
  for (int i = 0; i < 100; ++i) lands();
  return 3;
}

MEASURED void jumps_back(int) { siglongjmp(signal_target, 1); }

MEASURED void raises() { raise(SIGUSR1); }

MEASURED void lands_from_signal() {
  if (sigsetjmp(signal_target, 1) == 0) raises();
  leaf();
}

BARE static void catch_with(void (*handler)(int), int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGUSR1, &action, nullptr);
}

// The function that waits is the one that the handler jumps to.
MEASURED void waits_in_vain() {
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  const itimerval soon = {{0, 0}, {0, 1000}};
  if (sigsetjmp(signal_target, 1) == 0) {
    setitimer(ITIMER_REAL, &soon, nullptr);
    for (;;) sem_wait(&semaphore);
  }
  leaf();
}

MEASURED int wait_jumps() {
  struct sigaction action = {};
  action.sa_handler = jumps_back;
  sigaction(SIGALRM, &action, nullptr);
  for (int i = 0; i < 100; ++i) waits_in_vain();
  return 0;
}

MEASURED int signal_jumps() {
  catch_with(jumps_back, 0);
  for (int i = 0; i < 100; ++i) lands_from_signal();
  return 0;
}

BARE static void use_alternate_stack() {
  stack_t stack;
  memset(&stack, 0, sizeof stack);
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, nullptr);
}

MEASURED int alternate_jumps() {
  use_alternate_stack();
  catch_with(jumps_back, SA_ONSTACK);
  for (int i = 0; i < 100; ++i) lands_from_signal();
  return 0;
}

// A jump that stays inside the handler must not close what the handler interrupted.
jmp_buf inside_handler;
MEASURED void jumps_inside() { longjmp(inside_handler, 1); }
MEASURED void stays(int) {
  if (setjmp(inside_handler) == 0) jumps_inside();
  leaf();
}

MEASURED void* inner_jumps_body(void*) {
  // On the heap of a thread: an alternate stack above or below the thread's own stack.
  for (int side = 0; side < 2; ++side) {
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = side == 0 ? alternate : malloc(sizeof alternate);
    stack.ss_size = sizeof alternate;
    sigaltstack(&stack, nullptr);
    for (int i = 0; i < 50; ++i) raises();
  }
  leaf();
  return nullptr;
}

MEASURED int inner_jumps() {
  catch_with(stays, SA_ONSTACK);
  inner_jumps_body(nullptr);
  pthread_t thread;
  pthread_create(&thread, nullptr, inner_jumps_body, nullptr);
  pthread_join(thread, nullptr);
  return 0;
}

// ---- pthread_exit and cancellation

MEASURED void exits_thread(int depth) {
  if (depth == 0) pthread_exit(nullptr);
  exits_thread(depth - 1);
  leaf();
}

MEASURED void* exiting_body(void*) {
  exits_thread(3);
  return nullptr;
}

MEASURED int thread_exits() {
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    pthread_create(&thread, nullptr, exiting_body, nullptr);
    pthread_join(thread, nullptr);
  }
  return 0;
}

MEASURED void waits() { pause(); }

MEASURED void* waiting_body(void*) {
  waits();
  return nullptr;
}

MEASURED int cancels() {
  for (int i = 0; i < 50; ++i) {
    pthread_t thread;
    void* result = nullptr;
    pthread_create(&thread, nullptr, waiting_body, nullptr);
    if (i % 2 == 0) usleep(1000);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    if (result != PTHREAD_CANCELED) return 1;
  }
  return 0;
}

// ---- exit

MEASURED void exits_nested(int depth) {
  if (depth == 0) exit(7);
  exits_nested(depth - 1);
}

MEASURED int nested_exit() {
  leaf();
  exits_nested(5);
  return 0;
}

MEASURED int thread_exit_call() {
  std::thread([] { exits_nested(5); }).join();
  return 0;
}

MEASURED void* last_thread(void*) {
  usleep(20000);
  for (int i = 0; i < 10; ++i) leaf();
  return nullptr;
}

MEASURED void at_the_end() { leaf(); }

MEASURED int main_leaves() {
  pthread_t thread;
  atexit(at_the_end);
  pthread_create(&thread, nullptr, last_thread, nullptr);
  pthread_exit(nullptr);
}

// ---- hooks that do not match

void __cyg_profile_func_enter(void*, void*);
void __cyg_profile_func_exit(void*, void*);

MEASURED void unbalanced() {
  void* const f = reinterpret_cast<void*>(&leaf);
  __cyg_profile_func_exit(f, nullptr);
  __cyg_profile_func_exit(nullptr, nullptr);
  __cyg_profile_func_enter(f, nullptr);
  __cyg_profile_func_enter(f, nullptr);
}

MEASURED int mismatches() {
  for (int i = 0; i < 100; ++i) unbalanced();
  leaf();
  return 0;
}
}

BARE int main(int argc, char** argv) {
  static const guest_case cases[] = {{"exceptions", exceptions},
                                     {"jumps", jumps},
                                     {"signal_jumps", signal_jumps},
                                     {"alternate_jumps", alternate_jumps},
                                     {"wait_jumps", wait_jumps},
                                     {"inner_jumps", inner_jumps},
                                     {"thread_exits", thread_exits},
                                     {"cancels", cancels},
                                     {"nested_exit", nested_exit},
                                     {"thread_exit_call", thread_exit_call},
                                     {"main_leaves", main_leaves},
                                     {"mismatches", mismatches},
                                     {nullptr, nullptr}};
  return guest_main(argc, argv, cases);
}
