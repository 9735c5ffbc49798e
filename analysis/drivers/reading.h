// SPDX-License-Identifier: BSD-3-Clause
// The condensed events of an archive's trace, for one replay. The process reads them itself, or its threads do, or
// helpers do. The reader of a location also gathers its data for the profile of the trace, and reads it again for the
// critical path.
#ifndef EPIK_ANALYSIS_DRIVERS_READING_H_
#define EPIK_ANALYSIS_DRIVERS_READING_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/drivers/helpers.h"
#include "analysis/drivers/own_reading.h"
#include "archive/files/time_limit.h"
#include "archive/trace/trace_archive.h"

namespace epik::drivers {

struct Workers {
  unsigned threads = 1;        // of this process, including the one that replays
  Helpers* helpers = nullptr;  // other processes; null: none
  archive::TimeLimit limit = {};
};

// The number of threads that pay for this trace.
unsigned ThreadsFor(const archive::TraceArchive& traces);

class Reading {
 public:
  // Archive and world outlive it. All that may take long throws when the time of the workers is over.
  Reading(const archive::TraceArchive& traces, const replay::World& world, clocks::Corrections corrections,
          const Workers& workers, Gathering gathering);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Call it once. The sources end before the reading does.
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

// Helps with that archive until it is dismissed, and returns the exit status. Throws when rank 0 is silent, or when the
// time is over.
int HelpToRead(Link* link, const std::string& archive, const archive::TimeLimit& limit = {});

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_READING_H_
