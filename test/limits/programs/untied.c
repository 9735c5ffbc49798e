// SPDX-License-Identifier: BSD-3-Clause
// Stands in for libomp, which cannot be made to suspend so many tasks at once: tells the tool of TASKS untied tasks of
// one thread, each of which is suspended once before any of them goes on: untied TASKS.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef union {
  uint64_t value;
  void* pointer;
} data;
typedef void (*any)(void);
typedef any (*find)(const char* name);
typedef struct {
  int (*initialize)(find lookup, int device, data* tool);
  void (*finalize)(data* tool);
  data tool;
} tool_result;
// They stand for code of the runtime.
#define UNMEASURED __attribute__((no_instrument_function))

tool_result* ompt_start_tool(unsigned version, const char* runtime);

enum { TASK_CREATE = 5, TASK_SCHEDULE = 6, EVENTS = 64, COMPLETE = 1, SWITCH = 7, EXPLICIT = 4, UNTIED = 0x10000000 };
static any callbacks[EVENTS];

UNMEASURED static int set_callback(int event, any callback) {
  if (event < EVENTS) callbacks[event] = callback;
  return 5;
}
UNMEASURED static any lookup(const char* name) {
  return strcmp(name, "ompt_set_callback") == 0 ? (any)set_callback : NULL;
}

UNMEASURED __attribute__((noinline)) static void creates(data* creator, data* task) {
  void (*create)(data*, const void*, data*, int, int, const void*) = (void*)callbacks[TASK_CREATE];
  create(creator, NULL, task, EXPLICIT | UNTIED, 0, __builtin_return_address(0));
}

UNMEASURED static void goes_on(data* prior, int status, data* next) {
  ((void (*)(data*, int, data*))(void*)callbacks[TASK_SCHEDULE])(prior, status, next);
}

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? atoi(argv[1]) : 1;
  data own = {.value = 0}, *words = calloc((size_t)tasks, sizeof *words);
  tool_result* tool = ompt_start_tool(201811, "a stand-in");
  if (words == NULL || tool == NULL || tool->initialize(lookup, 0, &tool->tool) == 0) return 1;
  void (*implicit)(int, data*, data*, unsigned, unsigned, int) = (void*)callbacks[7];
  implicit(1, NULL, &own, 1, 0, 1);
  for (int i = 0; i < tasks; ++i) {
    creates(&own, &words[i]);
    goes_on(&own, SWITCH, &words[i]);
    goes_on(&words[i], SWITCH, &own);
  }
  for (int i = 0; i < tasks; ++i) {
    goes_on(&own, SWITCH, &words[i]);
    goes_on(&words[i], COMPLETE, &own);
  }
  tool->finalize(&tool->tool);
  free(words);
  return 0;
}
