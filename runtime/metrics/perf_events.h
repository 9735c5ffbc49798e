// SPDX-License-Identifier: BSD-3-Clause
// The counters of perf_event_open by name, and the reasons when one cannot be opened.
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
  bool in_kernel;  // it happens only in the kernel: a user who may not count there sees 0
  double scale;
  const char* unit;

  bool IsHardware() const;
};
extern const PerfEvent kPerfEvents[];
extern const uint32_t kPerfEventCount;

// Obstacles that concern all counters of this machine.
struct PerfMachine {
  int paranoid = 4;  // /proc/sys/kernel/perf_event_paranoid; 4: cannot be read
  bool has_pmu = false;
  bool is_virtual = false;
};
PerfMachine LookAtPerfMachine();

// Why perf_event_open refused with `error`, and what would help.
std::string WhyNoPerf(const PerfEvent& event, int error, const PerfMachine& machine);

// Opens a counter for the calling thread, in a group, or (-1) as the leader of a new one, which is still off. Negative:
// -errno.
int OpenPerfEvent(uint32_t type, uint64_t config, bool with_kernel, int group);

// Scales a value up from the time that its group was counted to the whole time.
uint64_t ForWholeTime(uint64_t value, uint64_t enabled, uint64_t running);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_PERF_EVENTS_H_
