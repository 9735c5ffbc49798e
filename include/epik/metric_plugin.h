/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of one's own: a shared library with one function, named in EPK_METRIC_PLUGINS. C99, nothing to link.
 *
 * EPIK loads it when the program's measurement starts, asks for what there is, opens what EPK_METRICS names for every
 * thread, and reads it at each event of the thread: what was counted since the event before belongs to the call path
 * that was current. examples/metric_plugin is a whole one. */
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
  const char* name; /* without the plug-in's */
  const char* unit; /* occ, bytes, sec, J … */
  const char* description;
  int kind;
  double scale;        /* values times this are in the unit; 0 is as good as 1 */
  const char* missing; /* NULL, or why it cannot be had here and what would help */
} EpikMetric;

/* Adds to a sum of the call path that `place` stands for (epik_adapter_place). */
typedef void (*EpikMetricAdd)(void* context, uint64_t place, uint32_t metric, uint64_t value);

/* Functions may be NULL where nothing is to be done, all but `metrics` and `read`. The strings must stay. */
typedef struct EpikMetricPlugin {
  uint32_t version; /* EPIK_METRIC_PLUGIN_VERSION */
  const char* name; /* what stands before the :: */
  const char* description;

  /* All that may be asked for. */
  const EpikMetric* (*metrics)(uint32_t* count);
  /* What was asked for, as indexes into these: `read` gives that many values in this order. Before any thread. */
  void (*choose)(const uint32_t* chosen, uint32_t count);
  /* For the calling thread. What *state becomes is handed to the functions below. NULL, or why it cannot be read. */
  const char* (*open_thread)(void** state);
  /* At every event, in signal handlers too: no allocation, no lock, no change of errno. */
  void (*read)(void* state, uint64_t* values);
  void (*close_thread)(void* state);
  /* In a forked child, what a thread of its parent had opened; in place of close_thread. */
  void (*forget_thread)(void* state);
  /* The measurement ends: sums that are known only now. */
  void (*finish)(EpikMetricAdd add, void* context);
} EpikMetricPlugin;

/* What the library exports. NULL: it has nothing here. */
const EpikMetricPlugin* epik_metric_plugin(void);

#ifdef __cplusplus
}
#endif

#endif /* EPIK_METRIC_PLUGIN_H_ */
