// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/timeline/kinds.h"

#include <string_view>

#include "archive/profile/region_class.h"

namespace epik::timeline {
namespace {

struct Row {
  std::string_view metric;  // the beginning of its unique name
  Kind kind;
};

// The first row that fits counts.
constexpr Row kRows[] = {
    {"comp", Kind::kComputation},
    {"mpi_point2point", Kind::kPointToPoint},
    {"mpi_request", Kind::kPointToPoint},
    {"mpi_collective", Kind::kCollective},
    {"mpi_sync_collective", Kind::kSynchronization},
    {"mpi_rma", Kind::kOneSided},
    {"mpi_io", Kind::kIo},
    {"mpi", Kind::kMpi},
    {"omp_ebarrier", Kind::kOpenMpWait},
    {"omp_ibarrier", Kind::kOpenMpWait},
    {"omp_taskwait", Kind::kOpenMpWait},
    {"omp_critical", Kind::kLock},
    {"omp_lock", Kind::kLock},
    {"omp_ordered", Kind::kLock},
    {"omp_idle", Kind::kIdle},
    {"omp", Kind::kOpenMp},
    {"pthread", Kind::kLock},
    {"overhead", Kind::kMeasurement},
    {"execution", Kind::kPaused},
};

}  // namespace

Kind KindOf(const archive::Region& region) {
  const std::string_view metric = archive::TimeMetricOf(region);
  for (const Row& row : kRows) {
    if (metric.substr(0, row.metric.size()) == row.metric) return row.kind;
  }
  return Kind::kComputation;
}

}  // namespace epik::timeline
