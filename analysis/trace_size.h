// SPDX-License-Identifier: BSD-3-Clause
// Predicts the size of a trace of everything: events are made up with the numbers and lengths of a profile, and go
// through the encoder that writes traces. docs/choosing.md says how good the prediction is.
#ifndef EPIK_ANALYSIS_TRACE_SIZE_H_
#define EPIK_ANALYSIS_TRACE_SIZE_H_

#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

// The sizes for one location.
struct TraceSize {
  double events = 0;              // enters, exits and records
  double bytes = 0;               // in the file
  double buffer = 0;              // in memory, before they are written to the file
  std::vector<double> events_of;  // by region; empty before TraceSizes fills it in

  double BytesOf(uint32_t region) const {
    return events == 0 || events_of.empty() ? 0 : bytes * events_of[region] / events;
  }
};

// The conditions under which a profile was measured.
struct Conditions {
  double ticks_per_second = 0;  // of the timer; 0: not known
  double pair_cost_ns = 0;      // the time that an enter and an exit add
  double queued_share = 0;      // of the time in which threads could run, the part in which others had the processors
};

// The sizes for each location. `excluded` is empty, or has a flag for each region of the profile.
std::vector<TraceSize> TraceSizes(const archive::Profile& profile, const Conditions& conditions,
                                  const std::vector<bool>& excluded);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_TRACE_SIZE_H_
