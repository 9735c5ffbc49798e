// SPDX-License-Identifier: BSD-3-Clause
// A PAPI that knows its counts beforehand: libpapi.so for machines without one, or without a PMU. It has a component
// whose two counters are work of the program, times 10 and times 5, with room for no third one, unless they take turns;
// a component of software; and nine more, with one counter each. It counts per thread, as PAPI does, and from the start
// of the event set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { OK = 0, NO_EVENT = -7, CONFLICT = -8, EVENTS = 13, SETS = 256 };
static const struct {
  const char* name;
  int component;
  long factor;
} events[EVENTS] = {{"PAPI_TOT_INS", 0, 10}, {"PAPI_TOT_CYC", 0, 5}, {"PAPI_L1_DCM", 0, 1},  {"soft:::steps", 1, 1},
                    {"many1:::work", 2, 1},  {"many2:::work", 3, 2}, {"many3:::work", 4, 3}, {"many4:::work", 5, 4},
                    {"many5:::work", 6, 5},  {"many6:::work", 7, 6}, {"many7:::work", 8, 7}, {"many8:::work", 9, 8},
                    {"many9:::work", 10, 9}};

static struct {
  int component, count, code[EVENTS], in_turns;
  unsigned long start;
} sets[SETS];
static int next_set, multiplexes;

static unsigned long work(void) {
  unsigned long (*of_program)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "work_of_thread");
  return of_program != NULL ? of_program() : 0;
}

int PAPI_library_init(int version) { return version == 0x07000000 ? version : -1; }
void PAPI_shutdown(void) {}
int PAPI_thread_init(unsigned long (*id)(void)) { return id() != 0 ? OK : -1; }
char* PAPI_strerror(int error) {
  return error == CONFLICT ? "Event exists, but cannot be counted" : "Event does not exist";
}

int PAPI_event_name_to_code(const char* name, int* code) {
  for (int e = 0; e < EVENTS; ++e) {
    if (strcmp(events[e].name, name) != 0) continue;
    *code = 0x40000000 + e;
    return OK;
  }
  return NO_EVENT;
}
int PAPI_get_event_component(int code) { return events[code - 0x40000000].component; }
const void* PAPI_get_component_info(int component) {
  static char info[3][4096] = {"fake_cpu", "soft", "many"};
  return info[component < 2 ? component : 2];
}

int PAPI_create_eventset(int* set) {
  *set = __atomic_fetch_add(&next_set, 1, __ATOMIC_RELAXED);
  if (*set >= SETS) abort();
  return OK;
}
int PAPI_assign_eventset_component(int set, int component) {
  sets[set].component = component;
  return OK;
}
int PAPI_add_event(int set, int code) {
  if (sets[set].component != PAPI_get_event_component(code)) abort();
  if (sets[set].count == (sets[set].in_turns ? EVENTS : 2)) return CONFLICT;
  sets[set].code[sets[set].count++] = code;
  return OK;
}
int PAPI_multiplex_init(void) {
  multiplexes = 1;
  return OK;
}
int PAPI_set_multiplex(int set) {
  if (!multiplexes) return -1;
  sets[set].in_turns = 1;
  return OK;
}
int PAPI_start(int set) {
  sets[set].start = work();
  return OK;
}
int PAPI_read(int set, long long* values) {
  for (int i = 0; i < sets[set].count; ++i) {
    values[i] = (long long)(work() - sets[set].start) * events[sets[set].code[i] - 0x40000000].factor;
  }
  return OK;
}
int PAPI_stop(int set, long long* values) { return PAPI_read(set, values); }
int PAPI_cleanup_eventset(int set) {
  sets[set].count = 0;
  return OK;
}
int PAPI_destroy_eventset(int* set) {
  *set = -1;
  return OK;
}
