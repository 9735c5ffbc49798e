// SPDX-License-Identifier: BSD-3-Clause
// Calls that were measured and are not in the trace (EPK_TRACE=comm). They happened within calls that are in the trace,
// and the summary has them below these by call path. Their cost is spread evenly over the time of these calls.
#ifndef EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_
#define EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analysis/graph/graph.h"
#include "analysis/graph/mixtures.h"
#include "analysis/replay/operations.h"
#include "archive/profile/profile.h"

namespace epik::approximation {

// By location and by call path: so much for each nanosecond that the trace shows the location there.
class Densities {
 public:
  double At(uint32_t location, uint32_t path) const {
    if (location >= of_.size()) return 0;
    const auto found = of_[location].find(path);
    return found == of_[location].end() ? 0 : found->second;
  }

 private:
  friend class Unlogged;
  std::vector<std::unordered_map<uint32_t, double>> of_;
};

class Unlogged {
 public:
  // `columns`: by location of the graph, its column in the profile; kNone: no column.
  Unlogged(const graph::Graph& graph, const epitome::Profile* profile, std::vector<uint32_t> columns);

  // `worth`: of all visits of a call path at a column of the profile that are not in the trace, which are `share` of
  // its visits.
  using Worth = std::function<double(uint32_t path, uint32_t column, double visits, double share)>;
  Densities Spread(const Worth& worth) const;

  // Shares out the time of the call paths in the trace over those that it lacks.
  graph::Mixtures Mix() const;

  // A trace of `comm` lacks calls that asked for something and got nothing. So each call that got something has a part
  // of the time of those beside it, in proportion to the time that it could wait.
  void PlacePolls(graph::Graph* graph) const;

 private:
  struct Logged {
    std::vector<double> visits, ns;  // by call path
    std::vector<double> missing;     // visits that are not in the trace …
    std::vector<double> share;       // … of all
    std::vector<double> stays;       // the share of its callees that happened in its logged visits
  };
  Logged LoggedOf(const graph::Graph& graph, uint32_t location) const;
  void CountMissing(uint32_t column, Logged* logged) const;
  void FindStays(uint32_t column, Logged* logged) const;
  std::vector<bool> CallersWhileOff(const Logged& logged) const;
  // By caller, nanoseconds of calls that the trace lacks and that asked in vain: for messages, and for requests.
  using Asked = std::array<std::unordered_map<uint32_t, double>, 2>;
  Asked AskedInVain(uint32_t location) const;

  const epitome::Profile* profile_;
  std::vector<uint32_t> columns_;
  std::vector<Logged> logged_;       // by location
  std::vector<replay::Role> roles_;  // by region of the profile
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_
