// SPDX-License-Identifier: BSD-3-Clause
// Finds the sources of the names in EPK_METRICS: plug-ins, other names and groups (EPK_METRICS_SPEC), counters that
// cannot be read. Defines all of them in the arena.
#ifndef EPIK_RUNTIME_COUNTERS_CHOSEN_H_
#define EPIK_RUNTIME_COUNTERS_CHOSEN_H_

#include <string>
#include <vector>

#include "runtime/metrics/source.h"

namespace epik::episode {

struct Options;

}  // namespace epik::episode

namespace epik::counters {

// A source, and the counters that it will read in this order.
struct ChosenSource {
  metrics::Source* source;
  std::vector<metrics::Counter> counters;
};

// Reports counters that cannot be read, on stderr and in the archive. Numbers count through all sources. REQUIRES:
// inside.
std::vector<ChosenSource> ChooseCounters(const episode::Options& options);

// Writes a note into every archive. Only the process that speaks for its job prints it, and no forked child. REQUIRES:
// inside.
void NoteAboutCounters(const std::string& text);

}  // namespace epik::counters

#endif  // EPIK_RUNTIME_COUNTERS_CHOSEN_H_
