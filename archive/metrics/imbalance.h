// SPDX-License-Identifier: BSD-3-Clause
// Computational imbalance, the metrics that users of Scalasca and Score-P know: for each call path and thread, how far
// its computation is from the mean of all that could take part. docs/report.md has the definition.
#ifndef EPIK_ARCHIVE_METRICS_IMBALANCE_H_
#define EPIK_ARCHIVE_METRICS_IMBALANCE_H_

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

class Imbalance {
 public:
  enum Part : uint8_t { kAll, kAbove, kSingle, kBelow, kBypass, kSingularity };
  static constexpr size_t kParts = 6;
  // Of one call path: a value for each location.
  using Rows = std::array<std::vector<double>, kParts>;

  // Looks at definitions alone; of regions, at what CompleteRegion fills in.
  explicit Imbalance(const epitome::Profile& definitions);

  // Whether there can be any of it: computation that several threads could do.
  bool Concerns(uint32_t path) const { return concerns_[path]; }
  bool ConcernsAny() const;

  // REQUIRES: Concerns(path). computation: seconds, exclusive; visits: null when there are none. One for each location.
  void Divide(uint32_t path, const double* computation, const uint64_t* visits, Rows* rows) const;

  // Metrics of the parts, in their order, behind those the profile has, without values. Returns the first.
  static uint32_t AddMetrics(epitome::Profile* definitions);
  static bool IsOne(std::string_view unique_name);

 private:
  std::vector<bool> concerns_, parallel_;  // by call path
  std::vector<bool> leads_;                // by location: the first of its process
  size_t locations_ = 0, processes_ = 0;
};

// Of a whole profile with a tree of time. Nothing when it has them already, no computation, or one thread.
void AddImbalance(epitome::Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_IMBALANCE_H_
