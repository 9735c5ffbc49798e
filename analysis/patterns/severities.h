// SPDX-License-Identifier: BSD-3-Clause
// Sums of waiting by pattern, location and call path; and when single waits were, and how long.
#ifndef EPIK_ANALYSIS_PATTERNS_SEVERITIES_H_
#define EPIK_ANALYSIS_PATTERNS_SEVERITIES_H_

#include <cstdint>
#include <vector>

#include "analysis/patterns/counts.h"
#include "analysis/patterns/distribution.h"
#include "analysis/replay/flat_map.h"
#include "analysis/replay/world.h"

namespace epik::patterns {

class Severities {
 public:
  // One instance: `ns` of waiting between two times. The thread may have done something else in between.
  struct Span {
    int64_t from = 0, to = 0, ns = 0;
    // Adds a stretch that comes after all others. One without length adds nothing.
    void Extend(int64_t since, int64_t until) { Extend(since, until, until - since); }
    void Extend(int64_t since, int64_t until, int64_t waited) {
      if (until <= since) return;
      if (ns == 0) from = since;
      to = until;
      ns += waited;
    }
  };

  struct Row {
    uint32_t pattern, location, path;
    int64_t ns = 0;
    uint64_t instances = 0;
    Span worst = {};  // the longest instance
  };

  // `clock_error_ns`: the largest difference between the clocks of processes.
  explicit Severities(int64_t clock_error_ns = 0) : clock_error_ns_(clock_error_ns) {}

  // Something that is counted beside waits (counts.def).
  struct CountRow {
    Count count;
    uint32_t location, path;
    uint64_t times = 0;
  };
  void AddCount(Count count, uint32_t location, uint32_t path, uint64_t times = 1) {
    if (times == 0) return;
    const Key key{static_cast<uint64_t>(count) << 32 | location, path};
    uint32_t* row = counts_of_.FindOrAdd(key, static_cast<uint32_t>(counts_.size()));
    if (*row == counts_.size()) counts_.push_back({count, location, path});
    counts_[*row].times += times;
  }
  const std::vector<CountRow>& counts() const { return counts_; }

  // Notes a wait that may be none, because clocks may be wrong.
  void NoteError(uint32_t pattern, int64_t ns) {
    if (ns > clock_error_ns_) return;
    if (within_error_ns_.size() <= pattern) within_error_ns_.resize(pattern + 1);
    within_error_ns_[pattern] += ns;
  }
  const std::vector<int64_t>& within_error_ns() const { return within_error_ns_; }

  void Add(uint32_t pattern, uint32_t location, uint32_t path, const Span& span) {
    const Key key{static_cast<uint64_t>(pattern) << 32 | location, path};
    uint32_t* row = rows_of_.FindOrAdd(key, static_cast<uint32_t>(rows_.size()));
    if (*row == rows_.size()) rows_.push_back({pattern, location, path});
    Row& sums = rows_[*row];
    sums.ns += span.ns;
    ++sums.instances;
    // Instances come in any order: of those that are equally long, the earliest one counts.
    const bool is_longer = span.ns > sums.worst.ns || (span.ns == sums.worst.ns && span.from < sums.worst.from);
    if (is_longer) sums.worst = span;
    histograms_.Add(pattern, replay::kNone, span.ns);
    if (path != replay::kNone) histograms_.Add(pattern, path, span.ns);
    over_time_.Add(pattern, span.from, span.ns);
  }
  const std::vector<Row>& rows() const { return rows_; }
  const Histograms& histograms() const { return histograms_; }
  const TimeBins& over_time() const { return over_time_; }

 private:
  struct Key {
    uint64_t who;
    uint32_t path;
    bool operator==(const Key&) const = default;
    friend uint64_t HashOf(const Key& key) { return replay::Mix(key.who * 0xff51afd7ed558ccdull + key.path); }
  };
  int64_t clock_error_ns_;
  std::vector<int64_t> within_error_ns_;  // by pattern
  replay::FlatMap<Key> rows_of_;
  std::vector<Row> rows_;
  replay::FlatMap<Key> counts_of_;
  std::vector<CountRow> counts_;
  Histograms histograms_;
  TimeBins over_time_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_SEVERITIES_H_
