// SPDX-License-Identifier: BSD-3-Clause
// A wait state: its name, its meaning, advice, and the code that finds it. Each is one file and one row of
// patterns.def.
#ifndef EPIK_ANALYSIS_PATTERNS_PATTERN_H_
#define EPIK_ANALYSIS_PATTERNS_PATTERN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "analysis/patterns/counts.h"
#include "analysis/patterns/severities.h"
#include "analysis/replay/observer.h"

namespace epik::patterns {

struct PatternInfo {
  const char* name;    // unique name of its metric: Scalasca's, where it has the pattern
  const char* parent;  // metric that its time is part of; empty: it is neither a thread's time nor waiting
  const char* label;
  const char* definition;   // the exact sum, in terms of times of the trace
  const char* explanation;  // its meaning for a program
  const char* advice;       // advice, half a sentence or more
};

constexpr bool IsWaiting(const PatternInfo& info) { return info.parent[0] != '\0'; }
// Whether the pattern is a completion, in which nobody is waited for.
constexpr bool IsCompletion(const PatternInfo& info) { return std::string_view(info.name).ends_with("_completion"); }

class Pattern : public replay::Observer {
 public:
  Pattern(const PatternInfo& info, uint32_t number, Severities* severities);
  const PatternInfo& info() const { return info_; }
  void Follow(const replay::Interruptions& interruptions) override { interruptions_ = &interruptions; }

 protected:
  // Adds one instance, or nothing when it took no time.
  void Add(uint32_t location, uint32_t path, const Severities::Span& span);
  // The same for an instance that lasted `ns` since `from_ns`.
  void Add(uint32_t location, uint32_t path, int64_t from_ns, int64_t ns) {
    Add(location, path, {from_ns, from_ns + ns, ns});
  }

  // Nanoseconds between `from` and `to` in which a call that began at `since` waited, without its interruptions.
  int64_t OwnTime(uint32_t location, int64_t since, int64_t from, int64_t to) const;
  // The same for a call that completes non-blocking collective operations, counting members of that role.
  int64_t WaitedFor(const replay::Call& call, std::span<const replay::Arrival> arrivals, replay::Role role) const;
  // Adds one instance that lasted from one time until another.
  void AddWait(uint32_t location, uint32_t path, int64_t since, int64_t from, int64_t to) {
    Add(location, path, {from, to, OwnTime(location, since, from, to)});
  }

  void AddCount(Count count, uint32_t location, uint32_t path, uint64_t times = 1);

 private:
  const PatternInfo& info_;
  uint32_t number_;
  Severities* severities_;
  const replay::Interruptions* interruptions_ = nullptr;
  bool among_processes_;  // which have clocks of their own
};

#define PATTERN(Name)                     \
  extern const PatternInfo k##Name##Info; \
  std::unique_ptr<Pattern> Make##Name(uint32_t number, Severities* severities);
#include "analysis/patterns/patterns.def"
#undef PATTERN

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_PATTERN_H_
