// SPDX-License-Identifier: BSD-3-Clause
// Instrumented signal handlers that interrupt hooks at any instruction. The program keeps its own count.
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "guest.h"

void __cyg_profile_func_enter(void*, void*);
void __cyg_profile_func_exit(void*, void*);

static volatile unsigned long handled, leaves, callers;
static volatile int jump_now;
static sigjmp_buf target;

MEASURED void leaf(void) { leaves = leaves + 1; }
MEASURED void caller(void) {
  callers = callers + 1;
  leaf();
}

MEASURED void below_handler(void) { handled = handled + 1; }
MEASURED void handler(int signal) {
  (void)signal;
  below_handler();
}

BARE static void catch_with(int signal, void (*function)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = function;
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, NULL);
}

static volatile unsigned long bodies;  // threads that came into their body
static volatile unsigned long steps_taken;

BARE static int tell(void) {
  printf("leaf %lu caller %lu handler %lu body %lu steps %lu\n", leaves, callers, handled, bodies, steps_taken);
  return 0;
}

// A call path that was not there before: any address of the program will do.
__asm__(
    ".pushsection .text, \"ax\"; .type many, @function; many: .fill 1600016, 1, 0x90; .size many, . - many; "
    ".popsection");
extern char many[];
BARE static void new_path(unsigned long n) {
  void* const key = many + 16 * n;
  __cyg_profile_func_enter(key, NULL);
  __cyg_profile_func_exit(key, NULL);
}

// ---- at a high rate

BARE static void every(int microseconds) {
  struct itimerval timer = {{0, microseconds}, {0, microseconds}};
  setitimer(ITIMER_REAL, &timer, NULL);
}

// Runs until so many signals have come, because the machine decides how many come in a second.
MEASURED static int timer(void) {
  catch_with(SIGALRM, handler);
  every(20);
  const unsigned long signals = (unsigned long)guest_number(1, 2000);
  for (unsigned long n = 0; handled < signals;) {
    for (int i = 0; i < 1000; ++i) caller();
    for (int i = 0; i < 20 && n < 100000; ++i) new_path(++n);
  }
  every(0);
  return 0;
}

// ---- at each instruction: the trap flag makes every instruction raise SIGTRAP

BARE static void trap_each(int on) {
#if defined(__x86_64__)
  if (on) {
    __asm__ volatile("sub $128, %%rsp; pushfq; orl $0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
  } else {
    __asm__ volatile("sub $128, %%rsp; pushfq; andl $~0x100, (%%rsp); popfq; add $128, %%rsp" ::: "cc", "memory");
  }
#else
  if (on) raise(SIGTRAP);
#endif
}

MEASURED static int steps(void) {
  catch_with(SIGTRAP, handler);
  caller();  // the call paths are there: the fast path is stepped through
  trap_each(1);
  caller();
  trap_each(0);
  return 0;
}

// Steps through so many calls that visits wait for their nodes before they are added to them, alone and in runs.
MEASURED static int steps_many(void) {
  catch_with(SIGTRAP, handler);
  caller();
  leaf();
  for (int i = 0; i < 100; ++i) {
    trap_each(1);
    if (i < 50) caller();
    if (i >= 50) leaf();
    trap_each(0);
  }
  return 0;
}

// Steps through so many calls of one function that EPK_HOT=probe counts some without frames.
MEASURED static int steps_probe(void) {
  catch_with(SIGTRAP, handler);
  caller();
  for (int i = 0; i < 1000; ++i) leaf();
  for (int i = 0; i < 3000; ++i) {
    trap_each(i % 6 == 0);
    leaf();
    if (i % 64 == 0) caller();
    trap_each(0);
  }
  return 0;
}

MEASURED static int steps_new(void) {
  catch_with(SIGTRAP, handler);
  trap_each(1);
  caller();                                            // new call paths, first table of children
  for (unsigned long n = 1; n < 20; ++n) new_path(n);  // and its growth
  trap_each(0);
  caller();
  return 0;
}

// The handler enters a new call path at each instruction, also while the program makes one.
static unsigned long paths_of_handler;
MEASURED void handler_with_paths(int signal) {
  (void)signal;
  handled = handled + 1;
  if (paths_of_handler < 90000) new_path(++paths_of_handler);
}

MEASURED static int steps_new_in_both(void) {
  catch_with(SIGTRAP, handler_with_paths);
  trap_each(1);
  caller();
  for (unsigned long n = 1; n < 5; ++n) new_path(90000 + n);
  trap_each(0);
  caller();
  return 0;
}

// The stack of frames grows (and the arena with it) while stepped through.
MEASURED static void deep(long depth) {
  if (depth == 0) {
    trap_each(1);
    caller();
    trap_each(0);
    return;
  }
  deep(depth - 1);
}

MEASURED static int steps_deep(void) {
  catch_with(SIGTRAP, handler);
  for (long depth = 1015; depth < 1030; ++depth) deep(depth);
  return 0;
}

// The very first event of a thread.
MEASURED static void* first_body(void* unused) {
  (void)unused;
  caller();
  return NULL;
}

BARE static void* first_stepped(void* unused) {
  trap_each(1);
  first_body(unused);
  trap_each(0);
  return NULL;
}

MEASURED static int steps_first(void) {
  catch_with(SIGTRAP, handler);
  pthread_t thread;
  for (int i = 0; i < 3; ++i) {
    pthread_create(&thread, NULL, first_stepped, NULL);
    pthread_join(thread, NULL);
  }
  return 0;
}

BARE static int steps_start(void) {
  catch_with(SIGTRAP, handler);
  trap_each(1);
  caller();
  trap_each(0);
  return 0;
}

// ---- cancelled at any instruction, that of a hook too

MEASURED static void* busy_body(void* unused) {
  bodies = bodies + 1;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  for (unsigned long n = (unsigned long)unused;; ++n) {
    leaf();
    if (n % 16 == 0) new_path(n % 100000);
  }
}

MEASURED static int cancels_anywhere(void) {
  for (int i = 0; i < 300; ++i) {
    pthread_t thread;
    pthread_create(&thread, NULL, busy_body, (void*)(long)(1000 * i));
    usleep((useconds_t)(i % 100));
    pthread_cancel(thread);
    pthread_join(thread, NULL);
  }
  for (int i = 0; i < 1000; ++i) caller();
  return 0;
}

// ---- a handler that jumps away from each instruction in turn

static volatile unsigned long steps_left;
MEASURED void jumping_handler(int signal) {
  (void)signal;
  handled = handled + 1;
  if (--steps_left == 0) siglongjmp(target, 1);
}

BARE static int jump_after(unsigned long steps, unsigned long path) {
  steps_left = steps;
  if (sigsetjmp(target, 1) == 0) {
    trap_each(1);
    if (path == 0) caller();
    if (path != 0) new_path(path);
    trap_each(0);
    return 0;
  }
  return 1;
}

MEASURED static void one_jump_at_each(int new_paths) {
  unsigned long path = 0;
  for (unsigned long steps = 1; steps < 100000; steps += new_paths && steps > 300 ? 17 : 1) {
    if (jump_after(steps, new_paths ? ++path : 0) == 0) return;
    for (int i = 0; i < 3; ++i) leaf();
  }
}

MEASURED static int steps_jump(void) {
  catch_with(SIGTRAP, jumping_handler);
  one_jump_at_each(0);
  return 0;
}

MEASURED static int steps_jump_new(void) {
  catch_with(SIGTRAP, jumping_handler);
  one_jump_at_each(1);
  return 0;
}

// A handler that jumps away from the very deepest frame, where no frame has been before.
MEASURED static int steps_jump_deep(void) {
  catch_with(SIGTRAP, jumping_handler);
  leaves = 0;
  for (unsigned long steps = 1; steps < 300; ++steps) {
    pthread_t thread;
    extern void* fresh_stack(void*);
    pthread_create(&thread, NULL, fresh_stack, (void*)steps);
    pthread_join(thread, NULL);
  }
  return 0;
}

MEASURED void* fresh_stack(void* steps) {
  jump_after((unsigned long)steps, 0);
  leaf();
  return NULL;
}

// A handler that ends the program from any instruction.
MEASURED void exiting_handler(int signal) {
  (void)signal;
  if (--steps_left == 0) exit(5);
}

MEASURED static int steps_exit(void) {
  catch_with(SIGTRAP, exiting_handler);
  const unsigned long steps = (unsigned long)guest_number(1, 1);
  steps_left = steps;
  trap_each(1);
  caller();
  new_path(1);
  trap_each(0);
  steps_taken = steps - steps_left;
  return 6;
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"timer", timer},
                                            {"steps", steps},
                                            {"steps_many", steps_many},
                                            {"steps_probe", steps_probe},
                                            {"steps_new", steps_new},
                                            {"steps_new_in_both", steps_new_in_both},
                                            {"steps_deep", steps_deep},
                                            {"steps_first", steps_first},
                                            {"steps_start", steps_start},
                                            {"steps_jump", steps_jump},
                                            {"steps_jump_new", steps_jump_new},
                                            {"steps_jump_deep", steps_jump_deep},
                                            {"steps_exit", steps_exit},
                                            {"cancels_anywhere", cancels_anywhere},
                                            {NULL, NULL}};
  const int status = guest_main(argc, argv, cases);
  FILE* counts = fopen("counts", "w");
  if (counts != NULL) {
    if (dup2(fileno(counts), 1) >= 0) tell();
    fflush(stdout);
    fclose(counts);
  }
  return status;
}
