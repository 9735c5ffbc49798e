/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface for counters of your own: a shared library with one function, named in EPK_METRIC_PLUGINS. C99; it
 * links to nothing.
 *
 * EPIK loads the library when the measurement starts and asks for its counters. It opens those that EPK_METRICS names
 * for every thread, and reads them at each event of the thread: the counts since the event before belong to the call
 * path that was current. examples/metric_plugin is a complete example. */
#ifndef EPIK_METRIC_PLUGIN_H_
#define EPIK_METRIC_PLUGIN_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define EPIK_METRIC_PLUGIN_VERSION 1

enum {
  EPIK_METRIC_SUM = 0, /* `read` gives a count that only grows; its steps are added up */
  EPIK_METRIC_PEAK = 1 /* `read` gives a value; the largest one of a call path is kept */
};

typedef struct EpikMetric {
  const char* name; /* without the plug-in's name */
  const char* unit; /* occ, bytes, sec, J … */
  const char* description;
  int kind;
  double scale;        /* value times scale is in the unit; 0 means 1 */
  const char* missing; /* NULL, or why it cannot be read here, with advice */
} EpikMetric;

/* Adds to a sum of the call path with the number `place` (epik_adapter_place). */
typedef void (*EpikMetricAdd)(void* context, uint64_t place, uint32_t metric, uint64_t value);

/* All functions except `metrics` and `read` may be NULL. The strings must stay valid. */
typedef struct EpikMetricPlugin {
  uint32_t version; /* EPIK_METRIC_PLUGIN_VERSION */
  const char* name; /* the text before the :: */
  const char* description;

  /* Returns all counters. */
  const EpikMetric* (*metrics)(uint32_t* count);
  /* Gives the requested counters as indices into `metrics`: `read` returns that many values in this order. Called once,
   * before open_thread. */
  void (*choose)(const uint32_t* chosen, uint32_t count);
  /* Opens the counters for the calling thread; the functions below get *state. Returns NULL, or why they cannot be
   * read. */
  const char* (*open_thread)(void** state);
  /* Called at every event, also in signal handlers: it must not allocate, lock, or change errno. */
  void (*read)(void* state, uint64_t* values);
  void (*close_thread)(void* state);
  /* Called in a forked child in place of close_thread, with the state of a thread of its parent. */
  void (*forget_thread)(void* state);
  /* The measurement ends: adds sums that are known only now. */
  void (*finish)(EpikMetricAdd add, void* context);
} EpikMetricPlugin;

/* The library exports this function. NULL: it has no counters here. */
const EpikMetricPlugin* epik_metric_plugin(void);

#ifdef __cplusplus
}
#endif

#endif /* EPIK_METRIC_PLUGIN_H_ */
