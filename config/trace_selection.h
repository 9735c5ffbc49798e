// SPDX-License-Identifier: BSD-3-Clause
// What EPK_TRACE and EPK_RANKS can say. Plain data after parsing; the trace backend asks it once, at start.
#ifndef EPIK_CONFIG_TRACE_SELECTION_H_
#define EPIK_CONFIG_TRACE_SELECTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

// A choice of processes: "all", or single ranks, ranges and "every:N" (ranks that N divides), separated by commas.
struct RankSet {
  struct Range {
    int64_t first, last;  // both belong to it
    bool operator==(const Range&) const = default;
  };

  bool all = true;
  std::vector<Range> ranges;
  int64_t every = 0;  // 0: not asked for

  bool Contains(int64_t rank) const;
  bool operator==(const RankSet&) const = default;
};

bool ParseRanks(std::string_view text, RankSet* ranks);
std::string FormatRanks(const RankSet& ranks);

// What is logged (all, comm, slow, msgs) and where (visits, ranks, windows). Where alone means: everything, there.
struct TraceSelection {
  struct Window {
    std::string region;
    uint64_t first, last;  // visits of the region, counted from 1, both belong to it
    bool operator==(const Window&) const = default;
  };

  bool on = false;
  bool all = false;
  bool comm = false;
  bool msgs = false;
  int64_t slow_ns = 0;  // 0: not asked for
  uint64_t visits = 0;  // 0: not limited
  std::vector<Window> windows;
  RankSet ranks;

  bool operator==(const TraceSelection&) const = default;
};

bool ParseTrace(std::string_view text, TraceSelection* selection);
std::string FormatTrace(const TraceSelection& selection);

}  // namespace epik::config

#endif  // EPIK_CONFIG_TRACE_SELECTION_H_
