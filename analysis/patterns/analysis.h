// SPDX-License-Identifier: BSD-3-Clause
// Analyses the trace of an archive: replays it once, with all patterns, explains the waits, and stores the results
// beside the trace.
#ifndef EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_
#define EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_

#include <functional>
#include <string>
#include <vector>

#include "analysis/drivers/reading.h"
#include "analysis/findings/findings.h"
#include "analysis/patterns/files.h"
#include "analysis/patterns/wait_profile.h"
#include "analysis/replay/replay.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

// How far clocks contradict the order of events, and how they were repaired.
struct ClockFacts {
  uint64_t messages = 0, collectives = 0, teams = 0, windows = 0;  // violations, by measured time
  int64_t worst_ns = 0;
  int64_t largest_correction_ns = 0;
  uint64_t left = 0;     // violations after the repair
  int64_t error_ns = 0;  // of clocks of different processes

  uint64_t Violations() const { return messages + collectives + teams + windows; }
};

struct Analysis {
  archive::Profile profile;  // of the trace, with wait states, their causes, the critical path
  replay::Totals totals;
  replay::Unmatched unmatched;
  uint64_t unplaced = 0;  // dependences that causes and the critical path lack
  ClockFacts clocks;
  WaitSums sums;
  std::vector<int64_t> within_error_ns;  // by pattern: of waits that are shorter than the error of the clocks
  findings::Findings findings;           // causes, the critical path
  std::string selection;                 // EPK_TRACE
  std::vector<std::string> problems;     // data that could not be read
};

// `archive`: a directory. The result is the same for all `workers`; zero threads: as many as pay for this trace.
// Returns false, with the reason, when the archive has no trace that can be read, or one without events. Throws when
// the time of the workers is over.
bool Analyze(const std::string& archive, const drivers::Workers& workers,
             const std::function<void(uint64_t events)>& progress, Analysis* analysis, std::string* error);

// Puts trace.cubex and analysis.json into the archive. Each file is written as a whole, or not at all.
bool WriteAnalysis(const std::string& archive, const Analysis& analysis, std::string* error);

// Sentences for people that name unmatched records, with the reasons.
std::vector<std::string> SayUnmatched(const Analysis& analysis);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_
