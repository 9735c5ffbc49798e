// SPDX-License-Identifier: BSD-3-Clause
// The values of EPK_TRACE, EPK_MEASURE and EPK_RANKS: plain data after parsing. The runtime reads them once, at the
// start.
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

// Selects kinds of events (all, comm, slow, msgs) and places (visits, ranks, windows). A place alone selects everything
// there.
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

// The value of EPK_MEASURE: when anything is measured at all. With windows of regions: within any window; with spans of
// time: within any span; with both: when both allow it.
struct MeasureSelection {
  struct Span {
    int64_t from_ns, to_ns;  // since the measurement began; to_ns does not belong to it
    bool operator==(const Span&) const = default;
  };

  std::vector<TraceSelection::Window> windows;
  std::vector<Span> spans;

  bool always() const { return windows.empty() && spans.empty(); }
  bool operator==(const MeasureSelection&) const = default;
};

bool ParseMeasure(std::string_view text, MeasureSelection* selection);
std::string FormatMeasure(const MeasureSelection& selection);

bool ParseTrace(std::string_view text, TraceSelection* selection);
std::string FormatTrace(const TraceSelection& selection);

}  // namespace epik::config

#endif  // EPIK_CONFIG_TRACE_SELECTION_H_
