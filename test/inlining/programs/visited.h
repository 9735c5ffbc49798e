/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs that count for themselves: VISIT("name") stands first in a function that is never inlined, and what was
   counted is printed at the end, one "name count" a line. Shares nothing with hooks. */
#ifndef EPIK_TEST_INLINING_PROGRAMS_VISITED_H_
#define EPIK_TEST_INLINING_PROGRAMS_VISITED_H_

#include <stdio.h>

#define NI __attribute__((noinline))
#define BARE __attribute__((no_instrument_function))

struct Visited {
  const char* name;
  long count;
  struct Visited* next;
};

static struct Visited* all_visited;

BARE static inline void Count(struct Visited* visited) {
  if (visited->count++ == 0) {
    visited->next = all_visited;
    all_visited = visited;
  }
}

#define VISIT(name)                                                \
  do {                                                             \
    static struct Visited visited = {name, 0, (struct Visited*)0}; \
    Count(&visited);                                               \
  } while (0)

BARE static inline void PrintVisited(void) {
  for (struct Visited* v = all_visited; v != 0; v = v->next) printf("%ld %s\n", v->count, v->name);
}

#endif
