// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/waited.h"

#include <bit>
#include <cmath>
#include <string_view>

#include "analysis/patterns/patterns.h"
#include "analysis/patterns/wait_profile.h"

namespace epik::report {
namespace {

// Whether it is a wait for others in MPI, and no part of another such wait.
bool CountsAsWaiting(const patterns::PatternInfo& info) {
  const std::string_view name = info.name, parent = info.parent;
  if (!parent.starts_with("mpi_") || parent == "mpi_init_exit" || name.ends_with("_completion")) return false;
  for (const patterns::PatternInfo* other : patterns::AllPatterns()) {
    if (parent == other->name) return false;
  }
  return true;
}

double BySummary(const Figures& f, const char* name) {
  const uint32_t metric = f.profile.FindMetric(name);
  if (metric == archive::kNone || f.profile.metrics[metric].type != archive::Type::kDouble) return 0;
  double sum = 0;
  f.ForRows(metric, [&](uint32_t, const uint64_t* cells) {
    for (size_t l = 0; l < f.profile.locations.size(); ++l) {
      const auto seconds = std::bit_cast<double>(cells[l]);
      if (std::isfinite(seconds)) sum += seconds;
    }
  });
  return sum;
}

double ByAnalysis(const findings::Findings& found, std::string_view name) {
  double sum = 0;
  for (const findings::Spread& spread : found.distribution.spreads) {
    if (spread.callpath.empty() && spread.pattern == name) sum += spread.seconds;
  }
  return sum;
}

}  // namespace

double WaitedInMpi(const Figures& figures, const findings::Findings* findings) {
  const bool analysed = findings != nullptr && !findings->distribution.spreads.empty();
  if (!analysed && !patterns::HasWaits(figures.profile)) return -1;
  double sum = 0;
  for (const patterns::PatternInfo* info : patterns::AllPatterns()) {
    if (!CountsAsWaiting(*info)) continue;
    sum += analysed ? ByAnalysis(*findings, info->name) : BySummary(figures, info->name);
  }
  return sum;
}

}  // namespace epik::report
