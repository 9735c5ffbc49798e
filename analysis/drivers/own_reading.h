// SPDX-License-Identifier: BSD-3-Clause
// The locations of an archive's trace that this process reads itself. It reads them for replay, and at the same time
// for the profile of the trace, and once more for the critical path.
#ifndef EPIK_ANALYSIS_DRIVERS_OWN_READING_H_
#define EPIK_ANALYSIS_DRIVERS_OWN_READING_H_

#include <memory>
#include <string>
#include <vector>

#include "analysis/clocks/corrections.h"
#include "analysis/critical/segments.h"
#include "analysis/replay/source.h"
#include "archive/files/time_limit.h"
#include "archive/trace/trace_archive.h"

namespace epik::drivers {

// Whether a reading gathers tallies (archive/trace_profile/tally.h).
enum class Gathering : uint8_t { kNothing, kTallies };

// Archive and world outlive it. All readings end by an exception when the time is over.
class OwnReading {
 public:
  OwnReading(const archive::TraceArchive& traces, const replay::World& world, archive::TimeLimit limit = {});
  OwnReading(const OwnReading&) = delete;
  OwnReading& operator=(const OwnReading&) = delete;

  // Begins from the beginning, with other times.
  void Begin(clocks::Corrections corrections, Gathering gathering);
  // Several threads may call the functions below at the same time, each for another location.
  // Returns the condensed events of the location.
  std::unique_ptr<replay::EventSource> Source(uint32_t location);
  // Return the damage that the reading met and the tally that it gathered. Call them after the last event.
  const std::vector<std::string>& damage(uint32_t location) const { return damage_[location]; }
  const std::string& tally(uint32_t location) const { return tally_[location]; }
  std::vector<critical::Segment> Cut(uint32_t location, std::vector<graph::Slice> slices, int64_t least_ns);

  const clocks::Corrections& corrections() const { return corrections_; }

 private:
  const archive::TraceArchive& traces_;
  const replay::World& world_;
  const archive::TimeLimit limit_;
  clocks::Corrections corrections_;
  clocks::RepairedTime time_;
  Gathering gathering_ = Gathering::kNothing;
  std::vector<std::vector<std::string>> damage_;
  std::vector<std::string> tally_;
};

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_OWN_READING_H_
