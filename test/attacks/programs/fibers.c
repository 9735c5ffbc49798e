// SPDX-License-Identifier: BSD-3-Clause
// Generators and fibers on stacks of their own.
//
//   fibers HOW generator COUNT    a generator that is asked COUNT times, by two callers
//   fibers HOW twins COUNT        two fibers with the same function, by turns
//   fibers HOW abandoned COUNT    generators that are asked twice and then left for good
//   fibers HOW sleepy             a generator that is suspended while its caller takes its time
//   fibers HOW threads COUNT      the same twins in four threads with small stacks
//   fibers HOW jumps COUNT        fibers that use longjmp on their own stacks
//   fibers context direct COUNT   functions that call swapcontext themselves
//
// HOW: context (swapcontext) or bare (a few instructions).
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define PLAIN __attribute__((no_instrument_function))
enum { kStack = 32 << 10 };

struct fiber {
  ucontext_t own, caller;
  void* own_stack;
  void* caller_stack;
  char* memory;
  long value, count;
  void (*body)(struct fiber*);
};

static int bare = 0;
static __thread struct fiber* running;

void switch_stack(void** from, void* to);
__asm__(
    ".text\n.globl switch_stack\n.type switch_stack, @function\nswitch_stack:\n"
    "push %rbp\npush %rbx\npush %r12\npush %r13\npush %r14\npush %r15\n"
    "mov %rsp, (%rdi)\nmov %rsi, %rsp\n"
    "pop %r15\npop %r14\npop %r13\npop %r12\npop %rbx\npop %rbp\nret\n");

PLAIN static void leave(struct fiber* f) {
  if (bare) {
    switch_stack(&f->own_stack, f->caller_stack);
  } else {
    swapcontext(&f->own, &f->caller);
  }
}

PLAIN static void come(struct fiber* f) {
  struct fiber* before = running;
  running = f;
  if (bare) {
    switch_stack(&f->caller_stack, f->own_stack);
  } else {
    swapcontext(&f->caller, &f->own);
  }
  running = before;
}

PLAIN static void begin(void) {
  struct fiber* f = running;
  f->body(f);
  for (;;) leave(f);
}

PLAIN static void make(struct fiber* f, void (*body)(struct fiber*), char* memory, long count) {
  memset(f, 0, sizeof *f);
  f->body = body;
  f->memory = memory;
  f->count = count;
  if (bare) {
    void** top = (void**)(memory + kStack - 64);
    *--top = NULL;
    *--top = (void*)begin;
    top -= 6;
    f->own_stack = top;
    return;
  }
  getcontext(&f->own);
  f->own.uc_stack.ss_sp = memory;
  f->own.uc_stack.ss_size = kStack;
  f->own.uc_link = NULL;
  makecontext(&f->own, begin, 0);
}

static volatile long sink;

__attribute__((noinline)) void produce(struct fiber* f, long value) { f->value = value; }
__attribute__((noinline)) void deliver(struct fiber* f, long value) {
  produce(f, value);
  leave(f);
}
__attribute__((noinline)) void generator(struct fiber* f) {
  for (long i = 0; i < f->count; ++i) deliver(f, i);
}
__attribute__((noinline)) void consume(long value) { sink += value; }
__attribute__((noinline)) void one(struct fiber* f) { come(f), consume(f->value); }
__attribute__((noinline)) void other(struct fiber* f) { come(f), consume(f->value); }

__attribute__((noinline)) static void generators(long count) {
  struct fiber f;
  make(&f, generator, malloc(kStack), count);
  for (long i = 0; i < count; ++i) (i % 2 == 0 ? one : other)(&f);
  come(&f);  // to its end
  printf("%ld\n", sink);
}

__attribute__((noinline)) void step(struct fiber* f) { ++f->value; }
__attribute__((noinline)) void twin(struct fiber* f) {
  while (f->count-- > 0) {
    step(f);
    leave(f);
  }
}

__attribute__((noinline)) static long twins(long count) {
  // Next to each other, without a gap.
  char* memory = malloc(2 * kStack);
  struct fiber a, b;
  make(&a, twin, memory, count);
  make(&b, twin, memory + kStack, count);
  for (long i = 0; i <= count; ++i) come(&a), come(&b);
  free(memory);
  return a.value + b.value;
}

__attribute__((noinline)) static void abandoned(long count) {
  char* memory[2] = {malloc(kStack), malloc(kStack)};
  for (long i = 0; i < count; ++i) {
    struct fiber f;
    make(&f, generator, memory[i % 3 == 0], 10);
    one(&f);
    other(&f);
  }
  printf("%ld\n", sink);
}

PLAIN static void doze(long ms) {
  struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}
__attribute__((noinline)) void busy(void) { doze(20); }
__attribute__((noinline)) void work(struct fiber* f) {
  for (;;) {
    busy();
    leave(f);
  }
}
__attribute__((noinline)) void pause_here(void) { doze(100); }
__attribute__((noinline)) static void sleepy(void) {
  struct fiber f;
  make(&f, work, malloc(kStack), 0);
  for (int i = 0; i < 5; ++i) {
    come(&f);
    pause_here();
  }
  puts("5");
}

static long per_thread;
__attribute__((noinline)) void* in_thread(void* sum) {
  *(long*)sum = twins(per_thread);
  return NULL;
}
__attribute__((noinline)) static void threads(long count) {
  pthread_t thread[4];
  long sums[4], sum = 0;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 32 << 10);
  per_thread = count;
  for (int i = 0; i < 4; ++i) {
    if (pthread_create(&thread[i], &small, in_thread, &sums[i]) != 0) exit(3);
  }
  for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL), sum += sums[i];
  printf("%ld\n", sum);
}

__attribute__((noinline)) void deep(jmp_buf* back, int levels) {
  if (levels == 0) longjmp(*back, 1);
  deep(back, levels - 1);
  sink = levels;
}
__attribute__((noinline)) void jumper(struct fiber* f) {
  while (f->count-- > 0) {
    jmp_buf back;
    if (setjmp(back) == 0) deep(&back, 3);
    step(f);
    leave(f);
  }
}
__attribute__((noinline)) static void jumps(long count) {
  char* memory = malloc(2 * kStack);
  struct fiber a, b;
  make(&a, jumper, memory, count);
  make(&b, jumper, memory + kStack, count);
  for (long i = 0; i <= count; ++i) come(&a), come(&b);
  printf("%ld\n", a.value + b.value);
}

// The functions that switch are measured themselves.
__attribute__((noinline)) void suspend(struct fiber* f) {
  swapcontext(&f->own, &f->caller);
  ++f->value;
}
__attribute__((noinline)) void suspended(struct fiber* f) {
  while (f->count-- > 0) suspend(f);
}
__attribute__((noinline)) static void direct(long count) {
  struct fiber f;
  make(&f, suspended, malloc(kStack), count);
  running = &f;
  for (long i = 0; i <= count; ++i) {
    swapcontext(&f.caller, &f.own);
    consume(1);
  }
  printf("%ld %ld\n", f.value, sink);
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  bare = strcmp(argv[1], "bare") == 0;
  const long count = argc > 3 ? atol(argv[3]) : 0;
  if (strcmp(argv[2], "generator") == 0) generators(count);
  if (strcmp(argv[2], "twins") == 0) printf("%ld\n", twins(count));
  if (strcmp(argv[2], "abandoned") == 0) abandoned(count);
  if (strcmp(argv[2], "sleepy") == 0) sleepy();
  if (strcmp(argv[2], "threads") == 0) threads(count);
  if (strcmp(argv[2], "jumps") == 0) jumps(count);
  if (strcmp(argv[2], "direct") == 0) direct(count);
  return 0;
}
