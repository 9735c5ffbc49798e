// SPDX-License-Identifier: BSD-3-Clause
// The condensed events of an archive's trace, for one replay: read by the process itself, by threads beside, or by
// helpers. Who reads a location also gathers what the profile of the trace needs of it, and reads it again for the
// critical path.
#ifndef EPIK_ANALYSIS_DRIVERS_READING_H_
#define EPIK_ANALYSIS_DRIVERS_READING_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/drivers/helpers.h"
#include "analysis/drivers/own_reading.h"
#include "archive/trace/trace_archive.h"

namespace epik::drivers {

struct Workers {
  unsigned threads = 1;        // of this process, with the one that replays
  Helpers* helpers = nullptr;  // other processes; null: none
};

// As many threads as pay for this trace.
unsigned ThreadsFor(const archive::TraceArchive& traces);

class Reading {
 public:
  // Archive and world outlive it.
  Reading(const archive::TraceArchive& traces, const replay::World& world, clocks::Corrections corrections,
          const Workers& workers, Gathering gathering);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Once. They end before the reading does.
  std::vector<std::unique_ptr<replay::EventSource>> Sources();
  // Call the functions below after all sources have ended.
  // Returns sentences about the damage that was met, in the order of the locations.
  std::vector<std::string> Damage();
  // Returns the tally of each location.
  std::vector<std::string> Tallies();
  std::vector<critical::Segment> SegmentsOf(const critical::Path& path, int64_t least_ns);

 private:
  bool HelperReads(uint32_t location) const;

  const Workers workers_;
  const size_t locations_;
  OwnReading own_;
  std::vector<std::unique_ptr<replay::EventSource>> sources_;
  std::optional<Lanes> lanes_;
};

// Reads for another process until that one dismisses this one. Returns the exit status.
int HelpToRead(Link* link, const std::string& archive);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_READING_H_
