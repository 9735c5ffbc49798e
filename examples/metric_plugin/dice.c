/* SPDX-License-Identifier: BSD-3-Clause */
/* A plug-in of two counters: how often dice were thrown, and the highest throw.
 *
 *   cc -shared -fPIC -I PREFIX/include dice.c -o libdice.so
 *   EPK_METRIC_PLUGINS=$PWD/libdice.so EPK_METRICS=dice::throws:dice::highest epk run ./program
 *
 * The program throws by calling dice_throw, which it finds in this library; one that does not has two counters that
 * stay at zero. Each thread has dice of its own. */
#include <epik/metric_plugin.h>
#include <stddef.h>

enum { THROWS, HIGHEST, METRICS };

static const EpikMetric metrics[METRICS] = {
    {"throws", "occ", "dice thrown", EPIK_METRIC_SUM, 1, NULL},
    {"highest", "", "the highest throw", EPIK_METRIC_PEAK, 1, NULL},
};

static __thread uint64_t values[METRICS];
static uint32_t chosen[METRICS], choices;

/* The functions of the program. */
void dice_throw(unsigned eyes) {
  ++values[THROWS];
  if (eyes > values[HIGHEST]) values[HIGHEST] = eyes;
}

static const EpikMetric* all(uint32_t* count) {
  *count = METRICS;
  return metrics;
}

static void choose(const uint32_t* wanted, uint32_t count) {
  for (choices = 0; choices < count && choices < METRICS; ++choices) chosen[choices] = wanted[choices];
}

static void read_values(void* state, uint64_t* to) {
  (void)state;
  for (uint32_t i = 0; i < choices; ++i) to[i] = values[chosen[i]];
  values[HIGHEST] = 0; /* of what comes now */
}

static const EpikMetricPlugin plugin = {
    EPIK_METRIC_PLUGIN_VERSION, "dice", "an example", all, choose, NULL, read_values, NULL, NULL, NULL};

const EpikMetricPlugin* epik_metric_plugin(void) { return &plugin; }
