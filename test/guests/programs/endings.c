// SPDX-License-Identifier: BSD-3-Clause
// Ways to end a program, by itself and by others.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "guest.h"

static volatile int sink;
MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void work(void) {
  for (int i = 0; i < 10; ++i) leaf();
  guest_spend();
}

BARE static void say(const char* text) {
  fputs(text, stdout);
  fflush(stdout);
}

BARE static void say_from_handler(const char* text) {
  if (write(1, text, strlen(text)) < 0) _exit(98);
}

// ---- by itself

MEASURED static int returns(void) {
  work();
  return (int)guest_number(1, 0);
}

MEASURED static int underscore_exit(void) {
  work();
  say("not flushed unless we say so\n");
  _exit(3);
}

MEASURED static int capital_exit(void) {
  work();
  _Exit(4);
}

MEASURED void at_quick(void) { say_from_handler("at_quick_exit\n"); }
MEASURED static int quick(void) {
  at_quick_exit(at_quick);
  work();
  quick_exit(5);
}

MEASURED static int aborts(void) {
  work();
  abort();
}

static volatile int threads_at_work;

// An endless body on another thread must not be in the way of the end.
MEASURED void* busy(void* unused) {
  __sync_fetch_and_add(&threads_at_work, 1);
  for (;;) leaf();
  return unused;
}

BARE static void start_threads(void) {
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, busy, NULL);
  }
  while (threads_at_work < 2) usleep(1000);
}

MEASURED static int aborts_with_threads(void) {
  start_threads();
  work();
  abort();
}

MEASURED static int underscore_exit_with_threads(void) {
  start_threads();
  work();
  _exit(3);
}

BARE static void ignore(int signal) { (void)signal; }

// Its signals interrupt whatever waits.
MEASURED static int underscore_exit_under_a_timer(void) {
  work();
  const struct sigaction action = {.sa_handler = ignore};
  const struct itimerval often = {{0, 1000}, {0, 1000}};
  if (sigaction(SIGALRM, &action, NULL) != 0 || setitimer(ITIMER_REAL, &often, NULL) != 0) return 1;
  _exit(3);
}

// ---- faults

MEASURED static int null_pointer(void) {
  work();
  *(volatile int*)guest_number(1, 0) = 1;
  return 0;
}

// Through a pointer: clang would make a loop of it.
int recurse(int depth);
static int (*volatile deeper)(int) = recurse;
MEASURED int recurse(int depth) {
  volatile char room[4096];
  for (size_t i = 0; i < sizeof room; i += 512) room[i] = (char)depth;
  return deeper(depth + 1) + room[0];
}

MEASURED static int exhausted_stack(void) {
  work();
  return recurse(0);
}

MEASURED void* recursing_body(void* unused) {
  work();
  recurse(0);
  return unused;
}

MEASURED static int exhausted_thread_stack(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, recursing_body, NULL);
  pthread_join(thread, NULL);
  return 0;
}

MEASURED static int division(void) {
  work();
  volatile int zero = 0;
  sink = 100 / zero;
  return 0;
}

MEASURED static int illegal(void) {
  work();
  __builtin_trap();
}

MEASURED void* faulting_body(void* barrier) {
  leaf();
  pthread_barrier_wait(barrier);
  *(volatile int*)0 = 1;
  return NULL;
}

MEASURED static int two_faults(void) {
  static pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, faulting_body, &barrier);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}

// ---- signals

MEASURED static int default_action(void) {
  work();
  raise((int)guest_number(1, SIGTERM));
  say("survived\n");
  return 0;
}

MEASURED void exiting(int signal) {
  say_from_handler("handler\n");
  exit(signal);
}
MEASURED static int handler_exits(void) {
  signal((int)guest_number(1, SIGTERM), exiting);
  work();
  raise((int)guest_number(1, SIGTERM));
  return 0;
}

// The handler interrupts the program where it holds a lock of malloc.
MEASURED static int handler_exits_in_malloc(void) {
  signal(SIGALRM, exiting);
  work();
  ualarm((useconds_t)guest_number(1, 20000), 0);
  void* blocks[64] = {NULL};
  for (unsigned i = 0;; ++i) {
    free(blocks[i % 64]);
    blocks[i % 64] = malloc(2000 + i % 5000);
  }
}

MEASURED void returning(int signal) {
  (void)signal;
  say_from_handler("handler\n");
}
MEASURED static int handler_returns(void) {
  signal((int)guest_number(1, SIGTERM), returning);
  work();
  raise((int)guest_number(1, SIGTERM));
  work();
  return 0;
}

MEASURED void re_raising(int number) {
  say_from_handler("handler\n");
  signal(number, SIG_DFL);
  raise(number);
}
MEASURED static int handler_raises_again(void) {
  signal((int)guest_number(1, SIGTERM), re_raising);
  work();
  raise((int)guest_number(1, SIGTERM));
  return 0;
}

MEASURED static int one_shot(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = returning;
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGTERM, &action, NULL);
  work();
  raise(SIGTERM);
  raise(SIGTERM);
  return 0;
}

MEASURED static int ignored(void) {
  signal((int)guest_number(1, SIGTERM), SIG_IGN);
  work();
  raise((int)guest_number(1, SIGTERM));
  return 0;
}

MEASURED static int inherited_ignore(void) {
  work();
  raise(SIGHUP);
  printf("SIGHUP is %s\n", signal(SIGHUP, SIG_DFL) == SIG_IGN ? "ignored" : "not ignored");
  return 0;
}

// Every way to ask gives the answer that a program without EPIK would get.
MEASURED static int dispositions(void) {
  work();
  for (int number = 1; number < 65; ++number) {
    struct sigaction seen;
    memset(&seen, 0, sizeof seen);
    if (sigaction(number, NULL, &seen) != 0) continue;
    printf("%d %s flags %x\n", number, seen.sa_handler == SIG_DFL ? "default" : "other", (unsigned)seen.sa_flags);
    if (number == SIGKILL || number == SIGSTOP) continue;
    void (*old)(int) = signal(number, returning);
    void (*mine)(int) = signal(number, old);
    printf("%d %s %s\n", number, old == SIG_DFL ? "default" : "other", mine == returning ? "mine" : "not mine");
    sigaction(number, &seen, NULL);
    if (sigaction(number, NULL, &seen) == 0)
      printf("%d %s\n", number, seen.sa_handler == SIG_DFL ? "default" : "other");
  }
  return 0;
}

// A handler that expects the normal stack, because the program has set no alternate one.
MEASURED void hungry(int signal) {
  volatile char room[200 * 1024];
  for (size_t i = 0; i < sizeof room; i += 64) room[i] = (char)signal;
  say_from_handler(room[64] == (char)signal ? "fed\n" : "?\n");
}
BARE static void handle_on_signal_stack(void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK;
  sigaction(SIGUSR1, &action, NULL);
}

MEASURED static int hungry_handler(void) {
  handle_on_signal_stack(hungry);
  work();
  raise(SIGUSR1);
  return 0;
}

// ---- signal stacks

BARE static void tell_stack(const char* where, const stack_t* own) {
  stack_t seen;
  memset(&seen, 0xff, sizeof seen);
  const int result = sigaltstack(NULL, &seen);
  const int is_own = seen.ss_sp == own->ss_sp && seen.ss_size == own->ss_size;
  const int is_null = seen.ss_sp == NULL && seen.ss_size == 0;
  printf("%s %d flags %d %s\n", where, result, seen.ss_flags, is_own ? "own" : is_null ? "none" : "strange");
}

static char own_room[128 * 1024];
static stack_t own_stack = {.ss_sp = own_room, .ss_size = sizeof own_room};

MEASURED void tells_stack(int signal) {
  char here;
  tell_stack("in a handler", &own_stack);
  const int is_within = &here >= own_room && &here < own_room + sizeof own_room;
  stack_t none = {.ss_flags = SS_DISABLE};
  const int gives_up = sigaltstack(&none, NULL);
  printf("signal %d %s the own stack, giving it up: %d\n", signal, is_within ? "on" : "beside", gives_up);
}

MEASURED void* asks_for_stacks(void* unused) {
  work();
  stack_t old, none = {.ss_flags = SS_DISABLE};
  tell_stack("at first", &own_stack);
  raise(SIGUSR1);
  printf("set %d\n", sigaltstack(&own_stack, &old));
  printf("old flags %d %s\n", old.ss_flags, old.ss_sp == NULL ? "none" : "strange");
  tell_stack("own", &own_stack);
  raise(SIGUSR1);
  tell_stack("after the handler", &own_stack);
  printf("restored %d\n", sigaltstack(&old, &old));
  printf("old flags %d %s\n", old.ss_flags, old.ss_sp == own_room ? "own" : "strange");
  tell_stack("restored", &own_stack);
  raise(SIGUSR1);
  stack_t small = {.ss_sp = own_room, .ss_size = 16};
  const int refused = sigaltstack(&small, NULL);
  printf("small %d %s\n", refused, strerror(errno));
  printf("given up again %d\n", sigaltstack(&none, NULL));
  tell_stack("at last", &own_stack);
  fflush(stdout);
  return unused;
}

MEASURED void* asks_and_recurses(void* unused) {
  asks_for_stacks(unused);
  recurse(0);
  return unused;
}

// The last thread exhausts its stack: EPIK needs its own one then.
MEASURED static int signal_stacks(void) {
  handle_on_signal_stack(tells_stack);
  asks_for_stacks(NULL);
  pthread_t thread;
  pthread_create(&thread, NULL, asks_for_stacks, NULL);
  pthread_join(thread, NULL);
  pthread_create(&thread, NULL, asks_and_recurses, NULL);
  pthread_join(thread, NULL);
  return 0;
}

// Goes on after a byte on stdin; or is killed.
MEASURED static int waits(void) {
  work();
  say("ready\n");
  while (sink >= 0) {
    char byte;
    if (read(0, &byte, 1) == 1) break;
    if (errno == EINTR) continue;
    pause();
  }
  work();
  return 0;
}

MEASURED static int spins(void) {
  work();
  say("ready\n");
  for (;;) leaf();
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"returns", returns},
                                            {"underscore_exit", underscore_exit},
                                            {"capital_exit", capital_exit},
                                            {"quick", quick},
                                            {"aborts", aborts},
                                            {"aborts_with_threads", aborts_with_threads},
                                            {"underscore_exit_with_threads", underscore_exit_with_threads},
                                            {"underscore_exit_under_a_timer", underscore_exit_under_a_timer},
                                            {"null_pointer", null_pointer},
                                            {"exhausted_stack", exhausted_stack},
                                            {"exhausted_thread_stack", exhausted_thread_stack},
                                            {"division", division},
                                            {"illegal", illegal},
                                            {"two_faults", two_faults},
                                            {"default_action", default_action},
                                            {"handler_exits", handler_exits},
                                            {"handler_exits_in_malloc", handler_exits_in_malloc},
                                            {"handler_returns", handler_returns},
                                            {"handler_raises_again", handler_raises_again},
                                            {"one_shot", one_shot},
                                            {"ignored", ignored},
                                            {"inherited_ignore", inherited_ignore},
                                            {"dispositions", dispositions},
                                            {"hungry_handler", hungry_handler},
                                            {"signal_stacks", signal_stacks},
                                            {"waits", waits},
                                            {"spins", spins},
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
