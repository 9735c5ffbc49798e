// SPDX-License-Identifier: BSD-3-Clause
// The counters that perf_event_open has names for, and what it says when it has not.
#ifndef EPIK_RUNTIME_METRICS_PERF_EVENTS_H_
#define EPIK_RUNTIME_METRICS_PERF_EVENTS_H_

#include <cstdint>
#include <string>

namespace epik::metrics {

struct PerfEvent {
  const char* name;
  const char* text;
  uint32_t type;
  uint64_t config;
  bool in_kernel;  // it happens nowhere else, so that a user who may not look there sees none
  double scale;
  const char* unit;

  bool IsHardware() const;
};
extern const PerfEvent kPerfEvents[];
extern const uint32_t kPerfEventCount;

// What stands in the way of all of them.
struct PerfMachine {
  int paranoid = 4;  // /proc/sys/kernel/perf_event_paranoid; 4: cannot be read
  bool has_pmu = false;
  bool is_virtual = false;
};
PerfMachine LookAtPerfMachine();

// Why perf_event_open refused with `error`, and what would help.
std::string WhyNoPerf(const PerfEvent& event, int error, const PerfMachine& machine);

// Opens one for the calling thread, in a group or (-1) as the leader of one, which is still off. Negative: -errno.
int OpenPerfEvent(uint32_t type, uint64_t config, bool with_kernel, int group);

// Part of the time that a group was counted, and its values for all of it.
uint64_t ForWholeTime(uint64_t value, uint64_t enabled, uint64_t running);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_PERF_EVENTS_H_
