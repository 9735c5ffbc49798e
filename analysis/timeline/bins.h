// SPDX-License-Identifier: BSD-3-Clause
// A stretch of time of one location in bins of equal width. Each bin has the shares of kinds of time, the call path
// with most time, and the share of waiting.
#ifndef EPIK_ANALYSIS_TIMELINE_BINS_H_
#define EPIK_ANALYSIS_TIMELINE_BINS_H_

#include <array>
#include <cstdint>
#include <vector>

#include "analysis/timeline/kinds.h"

namespace epik::timeline {

inline constexpr uint32_t kNoPath = 0xffffffff;

// The share of a kind in a bin, in 65535ths.
struct Part {
  uint8_t kind = 0;
  uint16_t share = 0;

  bool operator==(const Part&) const = default;
};

struct Bins {
  int64_t from = 0;                   // nanoseconds
  int64_t width = 1;                  // of each
  std::vector<uint32_t> begin = {0};  // for each bin, its first part; one more than there are bins
  std::vector<Part> parts;
  std::vector<uint32_t> path;    // the call path with most time; kNoPath
  std::vector<uint8_t> waiting;  // in 255ths

  size_t size() const { return path.size(); }
  int64_t to() const { return from + width * static_cast<int64_t>(size()); }

  bool operator==(const Bins&) const = default;
};

// Takes the time of a location in order, and fills bins.
class BinFiller {
 public:
  // `most`: number of bins; later time is left out.
  BinFiller(int64_t from, int64_t width, size_t most);

  // Adds the time from the end of the last one until `to`.
  void Take(int64_t to, Kind kind, uint32_t path) {
    if (to <= at_) return;
    if (to <= end_) return Add(to, kind, path);
    TakeMany(to, kind, path);
  }
  // The location is unknown until `to`: before the first event, in gaps.
  void Skip(int64_t to);

  // Waiting may come in any order, and before or after its time.
  void Wait(int64_t from, int64_t to);

  Bins Finish();

 private:
  struct Share {
    uint32_t path;
    int64_t ns;
  };
  static constexpr size_t kMostPaths = 24;  // that one bin distinguishes

  void Add(int64_t to, Kind kind, uint32_t path) {
    const int64_t ns = to - at_;
    by_kind_[static_cast<size_t>(kind)] += ns;
    Count(path, ns);
    at_ = to;
  }
  void Count(uint32_t path, int64_t ns);
  void TakeMany(int64_t to, Kind kind, uint32_t path);
  void Flush();

  Bins bins_;
  size_t most_;
  int64_t at_;   // all time until here is known
  int64_t end_;  // of the bin that is open
  std::array<int64_t, kKindCount> by_kind_{};
  std::vector<Share> by_path_;
  std::vector<int64_t> waited_;  // by bin
};

// Divides the same time into other bins: `count` of them from `from` to `to`.
Bins Rebin(const Bins& bins, int64_t from, int64_t to, size_t count);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_BINS_H_
