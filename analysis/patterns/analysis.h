// SPDX-License-Identifier: BSD-3-Clause
// The analysis of the trace of an archive: replayed once, looked at by all patterns, explained, kept
// beside the trace.
#ifndef EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_
#define EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_

#include <functional>
#include <string>
#include <vector>

#include "analysis/findings/findings.h"
#include "analysis/patterns/files.h"
#include "analysis/replay/replay.h"
#include "archive/profile/profile.h"

namespace epik::patterns {

struct Analysis {
  epitome::Profile profile;  // of the trace, with wait states, their causes, the critical path
  replay::Totals totals;
  replay::Unmatched unmatched;
  findings::Findings findings;        // causes, the critical path
  std::string selection;              // EPK_TRACE
  std::vector<std::string> problems;  // what could not be read
};

// `archive`: a directory. False, with the reason, when it has no trace that can be read.
bool Analyze(const std::string& archive, const std::function<void(uint64_t events)>& progress, Analysis* analysis,
             std::string* error);

// Puts trace.cubex and analysis.json into the archive. Each is there as a whole or not at all.
bool WriteAnalysis(const std::string& archive, const Analysis& analysis, std::string* error);

// What was unmatched and why, in sentences for people.
std::vector<std::string> SayUnmatched(const Analysis& analysis);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_ANALYSIS_H_
