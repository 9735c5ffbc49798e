// SPDX-License-Identifier: BSD-3-Clause
// A wait state: what it is called, what it means, what to do, and how it is found. Each is one file and one row of
// patterns.def.
#ifndef EPIK_ANALYSIS_PATTERNS_PATTERN_H_
#define EPIK_ANALYSIS_PATTERNS_PATTERN_H_

#include <memory>
#include <string_view>
#include <vector>

#include "analysis/patterns/severities.h"
#include "analysis/replay/observer.h"

namespace epik::patterns {

struct PatternInfo {
  const char* name;    // unique name of its metric: Scalasca's, where it has the pattern
  const char* parent;  // metric that its time is part of; empty: it is no time of a thread, and no waiting
  const char* label;
  const char* definition;   // exactly what is added up, by times of the trace
  const char* explanation;  // what that means for a program
  const char* advice;       // what to do, half a sentence or more
};

constexpr bool IsWaiting(const PatternInfo& info) { return info.parent[0] != '\0'; }

class Pattern : public replay::Observer {
 public:
  Pattern(const PatternInfo& info, uint32_t number, Severities* severities)
      : info_(info),
        number_(number),
        severities_(severities),
        among_processes_(std::string_view(info.name).starts_with("mpi_")) {}
  const PatternInfo& info() const { return info_; }

 protected:
  // One instance, that lasted so long from a moment on. Nothing when it did not last.
  void Add(uint32_t location, uint32_t path, int64_t from_ns, int64_t ns) {
    if (ns <= 0) return;
    severities_->Add(number_, location, path, from_ns, ns);
    if (among_processes_) severities_->NoteError(number_, ns);
  }

  void AddCount(Count count, uint32_t location, uint32_t path, uint64_t times = 1) {
    severities_->AddCount(count, location, path, times);
  }

 private:
  const PatternInfo& info_;
  uint32_t number_;
  Severities* severities_;
  bool among_processes_;  // who have clocks of their own
};

#define PATTERN(Name)                     \
  extern const PatternInfo k##Name##Info; \
  std::unique_ptr<Pattern> Make##Name(uint32_t number, Severities* severities);
#include "analysis/patterns/patterns.def"
#undef PATTERN

// All patterns, in the order of patterns.def.
const std::vector<const PatternInfo*>& AllPatterns();
std::vector<std::unique_ptr<Pattern>> MakePatterns(Severities* severities);

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_PATTERN_H_
