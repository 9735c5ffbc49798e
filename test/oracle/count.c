// SPDX-License-Identifier: BSD-3-Clause
// An independent count of calls, simple enough to be trusted: preloaded, it counts enters and exits of every function
// and shares no code with EPIK. At the end of the process it writes to the file that COUNT_FILE names, sorted:
//
//   address-offset module enter_count exit_count symbol          ("-" where dladdr knows no symbol)
//
// Threads count in tables of their own as long as there are enough of them, and share them beyond: every counter is
// atomic and every slot is claimed with compare-and-swap, so sharing and signal handlers cost time, never a count.
// A forked child starts from zero and writes COUNT_FILE.<pid>. Calls of destructors of the program's shared libraries
// come too late to be counted: these run after those of a preloaded library.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

// slots: functions a thread can call; if there are more, a message at the end says so
enum { kTables = 64, kSlots = 1 << 14 };

struct Slot {
  _Atomic(uintptr_t) function;
  _Atomic(uint64_t) enters;
  _Atomic(uint64_t) exits;
};

struct Table {
  _Atomic(uint64_t) lost;
  struct Slot slots[kSlots];
};

static struct Table tables[kTables];  // pages nobody touches do not exist
static _Atomic(unsigned) threads;
static __thread struct Table* mine;
static _Atomic(int) written;

static struct Slot* FindSlot(struct Table* table, uintptr_t function) {
  const uint64_t hash = (function >> 2) * UINT64_C(0x9e3779b97f4a7c15);
  for (unsigned probe = 0; probe < kSlots; ++probe) {
    struct Slot* slot = &table->slots[((hash >> 40) + probe) % kSlots];
    uintptr_t key = atomic_load_explicit(&slot->function, memory_order_relaxed);
    if (key == 0 && atomic_compare_exchange_strong(&slot->function, &key, function)) return slot;
    if (key == function) return slot;
  }
  return NULL;
}

static void Count(void* function, int is_exit) {
  struct Table* table = mine;
  if (table == NULL) mine = table = &tables[atomic_fetch_add(&threads, 1) % kTables];
  struct Slot* slot = FindSlot(table, (uintptr_t)function);
  if (slot == NULL) {
    atomic_fetch_add_explicit(&table->lost, 1, memory_order_relaxed);
    return;
  }
  atomic_fetch_add_explicit(is_exit ? &slot->exits : &slot->enters, 1, memory_order_relaxed);
}

EXPORT void __cyg_profile_func_enter(void* function, void* call_site) {
  (void)call_site;
  Count(function, 0);
}

EXPORT void __cyg_profile_func_exit(void* function, void* call_site) {
  (void)call_site;
  Count(function, 1);
}

// ---- the end --------------------------------------------------------------------------------------------------------

static size_t TablesInUse(void) {
  const unsigned started = atomic_load(&threads);
  return started < kTables ? started : kTables;
}

static int ByFunction(const void* left, const void* right) {
  const uintptr_t a = ((const struct Slot*)left)->function;
  const uintptr_t b = ((const struct Slot*)right)->function;
  return a < b ? -1 : a > b;
}

// All tables in one array, equal functions added up. Returns how many functions there are.
static size_t Merge(struct Slot** merged, uint64_t* lost) {
  size_t used = 0, room = 0;
  struct Slot* all = NULL;
  for (struct Table* table = tables; table != tables + TablesInUse(); ++table) {
    *lost += table->lost;
    for (size_t i = 0; i < kSlots; ++i) {
      if (table->slots[i].function == 0) continue;
      if (used == room) {
        room = room ? 2 * room : 1024;
        all = realloc(all, room * sizeof *all);
        if (all == NULL) return 0;
      }
      memcpy(&all[used++], &table->slots[i], sizeof *all);
    }
  }
  if (used != 0) qsort(all, used, sizeof *all, ByFunction);
  size_t distinct = 0;
  for (size_t i = 0; i < used; ++i) {
    if (distinct != 0 && all[distinct - 1].function == all[i].function) {
      all[distinct - 1].enters += all[i].enters;
      all[distinct - 1].exits += all[i].exits;
    } else if (distinct++ != i) {
      memcpy(&all[distinct - 1], &all[i], sizeof *all);
    }
  }
  *merged = all;
  return distinct;
}

static void PrintLine(FILE* out, const struct Slot* slot) {
  Dl_info info;
  memset(&info, 0, sizeof info);
  const int found = dladdr((void*)slot->function, &info) != 0;  // NOLINT
  const uintptr_t base = found ? (uintptr_t)info.dli_fbase : 0;
  const char* module = found && info.dli_fname && info.dli_fname[0] ? info.dli_fname : "-";
  const char* symbol = found && info.dli_sname && info.dli_saddr == (void*)slot->function ? info.dli_sname : "-";
  fprintf(out, "%#lx %s %lu %lu %s\n", (unsigned long)(slot->function - base), module, (unsigned long)slot->enters,
          (unsigned long)slot->exits, symbol);
}

// Tests that end a program in unusual ways may ask for the file themselves.
EXPORT void epik_oracle_write(void) {
  const char* name = getenv("COUNT_FILE");
  if (name == NULL || atomic_exchange(&written, 1)) return;
  FILE* out = fopen(name, "w");
  if (out == NULL) {
    fprintf(stderr, "libcount: cannot write %s\n", name);
    return;
  }
  struct Slot* merged = NULL;
  uint64_t lost = 0;
  const size_t count = Merge(&merged, &lost);
  for (size_t i = 0; i < count; ++i) PrintLine(out, &merged[i]);
  if (lost != 0) fprintf(out, "lost - %lu 0 -\n", (unsigned long)lost);
  fclose(out);
  free(merged);
}

// A child counts for itself from zero, into the same name with its number.
static void ChildStartsAnew(void) {
  for (struct Table* table = tables; table != tables + TablesInUse(); ++table) {
    table->lost = 0;
    for (size_t i = 0; i < kSlots; ++i) {
      if (table->slots[i].function == 0) continue;  // pages that are not in use stay so
      table->slots[i].enters = 0;
      table->slots[i].exits = 0;
    }
  }
  const char* name = getenv("COUNT_FILE");
  if (name == NULL) return;
  char own[4096];
  snprintf(own, sizeof own, "%s.%d", name, (int)getpid());
  setenv("COUNT_FILE", own, 1);
}

__attribute__((constructor)) static void Start(void) { pthread_atfork(NULL, NULL, ChildStartsAnew); }

// Runs after exit handlers and after the destructors of the program itself.
__attribute__((destructor)) static void Finish(void) { epik_oracle_write(); }
