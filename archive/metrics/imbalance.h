// SPDX-License-Identifier: BSD-3-Clause
// Computational imbalance, in the sense of Scalasca and Score-P: for each call path and thread, the distance of its
// computation from the mean over all threads that could take part. docs/report.md has the definition.
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
  // The rows of one call path, with a value for each location.
  using Rows = std::array<std::vector<double>, kParts>;

  // Reads the definitions only. REQUIRES: regions are completed (CompleteRegion).
  explicit Imbalance(const Profile& definitions);

  // Whether the call path can have imbalance: it computes, and several threads could take part.
  bool Concerns(uint32_t path) const { return concerns_[path]; }
  bool ConcernsAny() const;

  // REQUIRES: Concerns(path). `computation` (exclusive seconds) and `visits` have a cell for each location; `visits` is
  // null when there are no visits.
  void Divide(uint32_t path, const double* computation, const uint64_t* visits, Rows* rows) const;

  // Appends the metrics of the parts, in their order and without values. Returns the number of the first.
  static uint32_t AddMetrics(Profile* definitions);
  static bool IsOne(std::string_view unique_name);

 private:
  std::vector<bool> concerns_, parallel_;  // by call path
  std::vector<bool> leads_;                // by location: the first of its process
  size_t locations_ = 0, processes_ = 0;
};

// Adds the metrics with their values to a profile in memory. Does nothing when the profile has them, has no computation
// or has one thread.
void AddImbalance(Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_IMBALANCE_H_
