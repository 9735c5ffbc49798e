// SPDX-License-Identifier: BSD-3-Clause
// A tally holds the sums of one location's events. The process that reads the location gathers its tally; the process
// that makes the profile of the trace joins the tallies of all locations (trace_profile.h).
#ifndef EPIK_ARCHIVE_TRACE_PROFILE_TALLY_H_
#define EPIK_ARCHIVE_TRACE_PROFILE_TALLY_H_

#include <string>
#include <vector>

#include "archive/trace_profile/calls.h"
#include "archive/trace_profile/counters.h"
#include "archive/trace_profile/traffic.h"

namespace epik::archive {

struct Tally {
  LocationCalls calls;
  std::vector<CounterSum> counters;
  LocationTraffic traffic;
};

// Packs it for another process.
std::string PackTally(const Tally& tally);
// Returns false when it contradicts itself, or contradicts an archive with this number of call paths and, in its
// process, of metrics of the program.
bool UnpackTally(const std::string& packed, size_t paths, size_t metrics, Tally* tally);

class LocationTally {
 public:
  // `stream` is one of the archive, which outlives this object.
  LocationTally(const TraceArchive& archive, uint32_t stream)
      : calls_(archive, archive.streams()[stream].process),
        counters_(archive, archive.streams()[stream].process),
        traffic_(archive, archive.streams()[stream].process) {}

  // Takes all events of the location, as LocationReader gives them.
  void Take(const Event& event) {
    calls_.Take(event);
    counters_.Take(event);
    traffic_.Take(event);
  }
  // Call it after the last event.
  std::string Finish() { return PackTally({calls_.Finish(), counters_.Finish(), traffic_.Finish()}); }

 private:
  Calls calls_;
  CounterSums counters_;
  Traffic traffic_;
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_TRACE_PROFILE_TALLY_H_
