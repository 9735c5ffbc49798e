// SPDX-License-Identifier: BSD-3-Clause
// The floor of tasks, to be preloaded: reads the clock at both ends of making a task and of executing it. libgomp does
// not tell when it executes a task, so it gets our function, and the block that it copies holds the program's function.
// libomp tells a tool by OpenMP's interface.
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bench/floors/ticks.h"

#define EXPORT __attribute__((visibility("default")))

// volatile: the store must happen although nothing reads it
static __thread volatile uint64_t last_ticks;

typedef void (*Body)(void*);
typedef void (*Copy)(void*, void*);

// The least that a tool needs: the task's function and its place.
struct Block {
  Body body;
  uint64_t path;
  char data[];
};

static void Run(void* memory) {
  struct Block* block = memory;
  last_ticks = ReadTicks();
  block->body(block->data);
  last_ticks = ReadTicks();
}

typedef void Task(Body body, void* data, Copy copy, long size, long align, bool deferred, unsigned flags, void** depend,
                  int priority, void* detach);

EXPORT void GOMP_task(Body body, void* data, Copy copy, long size, long align, bool deferred, unsigned flags,
                      void** depend, int priority, void* detach) {
  enum { kMost = 256 };
  static Task* real = NULL;
  _Alignas(16) char memory[sizeof(struct Block) + kMost];
  struct Block* block = (struct Block*)memory;
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "GOMP_task");
  if (copy != NULL || size > kMost || align > 16) {
    real(body, data, copy, size, align, deferred, flags, depend, priority, detach);
    return;
  }
  last_ticks = ReadTicks();
  block->body = body;
  block->path = (uint64_t)flags;
  memcpy(block->data, data, (size_t)size);
  real(Run, block, NULL, (long)sizeof(struct Block) + size, 16, deferred, flags, depend, priority, detach);
  last_ticks = ReadTicks();
}

typedef void (*Function)(void);
typedef Function (*Lookup)(const char* name);
typedef int (*SetCallback)(int event, Function callback);
enum { kTaskCreate = 5, kTaskSchedule = 6 };

static void OnTaskCreate(void* creator, void* frame, uint64_t* task, int flags, int depends, const void* place) {
  (void)creator, (void)frame, (void)depends, (void)place;
  last_ticks = ReadTicks();
  *task = (uint64_t)flags;
  last_ticks = ReadTicks();
}

static void OnTaskSchedule(void* prior, int status, void* next) {
  (void)prior, (void)status, (void)next;
  last_ticks = ReadTicks();
}

static int Initialize(Lookup lookup, int device, void* tool) {
  (void)device, (void)tool;
  SetCallback set = (SetCallback)lookup("ompt_set_callback");
  if (set == NULL) return 0;
  set(kTaskCreate, (Function)OnTaskCreate);
  set(kTaskSchedule, (Function)OnTaskSchedule);
  return 1;
}

static void Finalize(void* tool) { (void)tool; }

static struct {
  int (*initialize)(Lookup, int, void*);
  void (*finalize)(void*);
  uint64_t data;
} tool = {Initialize, Finalize, 0};

EXPORT void* ompt_start_tool(unsigned version, const char* runtime) {
  (void)version, (void)runtime;
  return &tool;
}
