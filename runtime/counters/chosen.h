// SPDX-License-Identifier: BSD-3-Clause
// From the names of EPK_METRICS to the sources that are read: plug-ins, other names and groups (EPK_METRICS_SPEC), what
// cannot be had. All of it is defined in the arena.
#ifndef EPIK_RUNTIME_COUNTERS_CHOSEN_H_
#define EPIK_RUNTIME_COUNTERS_CHOSEN_H_

#include <string>
#include <vector>

#include "runtime/metrics/source.h"

namespace epik::episode {

struct Options;

// A source, and the counters that it will read in this order.
struct ChosenSource {
  metrics::Source* source;
  std::vector<metrics::Counter> counters;
};

// Says on stderr and in the archive what cannot be had. Counters are numbered through all sources. REQUIRES: inside.
std::vector<ChosenSource> ChooseCounters(const Options& options);

// In every archive, and by the process that speaks for its job on stderr: forked children are quiet. REQUIRES: inside.
void NoteAboutCounters(const std::string& text);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_COUNTERS_CHOSEN_H_
