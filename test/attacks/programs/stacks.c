// SPDX-License-Identifier: BSD-3-Clause
// Little stack: each case paints a stack, runs the program's work on it, and says how much of it was touched.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "guest.h"

enum { kPaint = 0x5a, kBelow = 64 * 4096 };

static volatile int sink, ends_here, overflows;

MEASURED void leaf(void) { sink = sink + 1; }
MEASURED void other(void) { sink = sink + 1; }
MEASURED static void work(void) {
  for (int i = 0; i < 10; ++i) leaf();
}
BARE static void bare_leaf(void) { sink = sink + 1; }
BARE static void bare_work(void) {
  for (int i = 0; i < 10; ++i) bare_leaf();
}

// Each level is a new call path: chunks, tables, frames and modules grow while this goes on.
MEASURED static void deep(int levels) {
  if (levels > 0) deep(levels - 1);
  other();
}

// ---- a stack of a known size, with paint on it and below it

static unsigned char* stack;
static size_t stack_bytes;

BARE static void paint(size_t bytes) {
  stack_bytes = bytes;
  unsigned char* memory = mmap(NULL, kBelow + bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(memory, kPaint, kBelow + bytes);
  stack = memory + kBelow;
}

// The number of bytes of the stack that were touched, including bytes below its end.
BARE static long touched(void) {
  const unsigned char* at = stack - kBelow;
  while (at < stack + stack_bytes && *at == kPaint) ++at;
  return stack + stack_bytes - at;
}

static void (*body)(void);

BARE static void* run_body(void* unused) {
  body();
  if (ends_here == 1) exit(7);
  if (ends_here == 2) _exit(7);
  return unused;
}

BARE static long on_a_stack(size_t bytes, void (*function)(void)) {
  paint(bytes);
  body = function;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, bytes);
  pthread_t thread;
  if (pthread_create(&thread, &attributes, run_body, NULL) != 0) return -1;
  pthread_join(thread, NULL);
  const long used = touched();
  overflows += used > (long)bytes;
  return used;
}

BARE static int say(const char* what, long number) {
  char text[64];
  const int length = snprintf(text, sizeof text, "%s %ld\n", what, number);
  return write(1, text, (size_t)length) == length ? overflows : 99;
}

BARE static void work_deep(void) { deep(20); }
BARE static void work_twice(void) {
  work();
  work();
}

// The first event of the program comes on the small stack.
BARE static int start(void) {
  const long bare = on_a_stack(1 << 20, bare_work);
  const long need = on_a_stack((size_t)guest_number(1, 16) << 10, work) - bare;
  leaf();
  return say("start", need);
}

// Only the first events of the thread, and of its call paths.
BARE static int paths(void) {
  leaf();
  const long bare = on_a_stack(1 << 20, bare_work);
  const long need = on_a_stack((size_t)guest_number(1, 16) << 10, work) - bare;
  on_a_stack(1 << 20, work_deep);
  return say("paths", need);
}

// No call path is new: the thread that ended before made the same calls.
BARE static int hooks(void) {
  leaf();
  const long bare = on_a_stack(1 << 20, bare_work);
  on_a_stack(1 << 20, work_twice);
  return say("hooks", on_a_stack(1 << 20, work_twice) - bare);
}

BARE static int ends_by_exit(void) {
  ends_here = 1;
  on_a_stack((size_t)guest_number(1, 16) << 10, work);
  return 0;
}

BARE static int ends_by_underscore_exit(void) {
  ends_here = 2;
  on_a_stack((size_t)guest_number(1, 16) << 10, work);
  return 0;
}

// ---- handlers

static volatile int handled;

MEASURED static void on_signal(int signal) {
  (void)signal;
  ++handled;
  leaf();
}

BARE static void on_signal_bare(int signal) {
  (void)signal;
  ++handled;
  bare_leaf();
}

BARE static long in_handlers(void (*handler)(int), size_t bytes, int times) {
  paint(bytes);
  stack_t alternate = {.ss_sp = stack, .ss_size = bytes};
  sigaltstack(&alternate, NULL);
  struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  for (int i = 0; i < times; ++i) {
    raise(SIGUSR1);
    other();
  }
  const long used = touched();
  overflows += used > (long)bytes;
  stack_t none = {.ss_flags = SS_DISABLE};
  sigaltstack(&none, NULL);
  return used;
}

// On an alternate stack of 4 KiB, unless the kernel's own frame leaves hardly any of it.
BARE static int handlers(void) {
  leaf();
  const size_t least = getauxval(AT_MINSIGSTKSZ) + 704;
  const size_t bytes = least > 4096 ? least : 4096;
  const int times = (int)guest_number(1, 100);
  const long bare = in_handlers(on_signal_bare, bytes, 100);
  const long need = in_handlers(on_signal, bytes, times) - bare;
  if (handled != 100 + times) return 1;
  return say("handlers", need);
}

BARE static int plain(void) {
  work();
  return say("plain", 0);
}

BARE int main(int argc, char** argv) {
  static const struct guest_case cases[] = {{"start", start},
                                            {"paths", paths},
                                            {"hooks", hooks},
                                            {"handlers", handlers},
                                            {"ends_by_exit", ends_by_exit},
                                            {"ends_by_underscore_exit", ends_by_underscore_exit},
                                            {"plain", plain},
                                            {NULL, NULL}};
  return guest_main(argc, argv, cases);
}
