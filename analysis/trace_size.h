// SPDX-License-Identifier: BSD-3-Clause
// How large a trace of everything would be: the events of a profile are made up, as many and as long as it says, and
// given to the encoder that traces are written by. docs/choosing.md says how good that is.
#ifndef EPIK_ANALYSIS_TRACE_SIZE_H_
#define EPIK_ANALYSIS_TRACE_SIZE_H_

#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

// The sizes of one location.
struct TraceSize {
  double events = 0;              // enters, exits and records
  double bytes = 0;               // in the file
  double buffer = 0;              // in memory, before they are written
  std::vector<double> events_of;  // by region; empty when there are none

  double BytesOf(uint32_t region) const {
    return events == 0 || events_of.empty() ? 0 : bytes * events_of[region] / events;
  }
};

// By location. `ticks_per_second`: of the timer; 0: not known. `pair_cost_ns`: what an enter and exit add. excluded:
// empty, or by region of the profile.
std::vector<TraceSize> TraceSizes(const epitome::Profile& profile, double ticks_per_second, double pair_cost_ns,
                                  const std::vector<bool>& excluded);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_TRACE_SIZE_H_
