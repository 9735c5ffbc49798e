// SPDX-License-Identifier: BSD-3-Clause
// Calls that were measured and are not in the trace (EPK_TRACE=comm). They happened within calls that are in the trace,
// and the summary has them below these by call path. Their cost is spread over the time of these calls: evenly, or,
// after Place, by where they can have been.
#ifndef EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_
#define EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "analysis/approximation/placing.h"
#include "analysis/approximation/stays.h"
#include "analysis/graph/graph.h"
#include "analysis/graph/mixtures.h"
#include "analysis/replay/operations.h"
#include "archive/profile/profile.h"

namespace epik::approximation {

// By location and by call path: so much for each nanosecond that the trace shows the location there.
class Densities {
 public:
  // The mean over all stays in the call path.
  double At(uint32_t location, uint32_t path) const {
    if (location >= of_.size()) return 0;
    const auto found = of_[location].find(path);
    return found == of_[location].end() ? 0 : found->second;
  }
  // The same in a single stay. Stays without one like them have the mean.
  double At(const Stay& stay) const;
  // The sum of all that is spread over stays without knowing in which of them it was.
  double scattered() const { return scattered_; }

 private:
  friend class Unlogged;
  double scattered_ = 0;
  struct ByKind {
    const StayKinds* kinds;
    std::vector<double> density;
  };
  std::vector<std::unordered_map<uint32_t, double>> of_;
  std::vector<std::unordered_map<uint32_t, ByKind>> by_kind_;
};

class Unlogged {
 public:
  // `columns`: by location of the graph, its column in the profile; kNone: no column.
  Unlogged(const graph::Graph& graph, const archive::Profile* profile, std::vector<uint32_t> columns);

  // Finds out in which stays of their callers the calls can have been. The densities refer to this object from then on.
  void Place(const graph::Graph& graph);

  // Whether it is known of all these calls whether the thread had a lock that their caller had taken.
  bool KnowsLocks() const;

  // `worth`: of all visits of a call path at a column of the profile that are not in the trace, which are `share` of
  // its visits.
  using Worth = std::function<double(uint32_t path, uint32_t column, double visits, double share)>;
  Densities Spread(const Worth& worth, Whereabouts whereabouts = Whereabouts::kLikely) const;

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
  using Callers = std::unordered_map<uint32_t, PlacedCaller>;  // by call path
  void PrepareCallers(uint32_t location);
  void AddStays(const graph::Graph& graph, uint32_t location);
  // By caller, nanoseconds of calls that the trace lacks and that asked in vain: for messages, and for requests.
  using Asked = std::array<std::unordered_map<uint32_t, double>, 2>;
  Asked AskedInVain(uint32_t location) const;

  const archive::Profile* profile_;
  std::vector<uint32_t> columns_;
  std::vector<Logged> logged_;       // by location
  std::vector<Callers> callers_;     // by location; empty before Place
  std::vector<replay::Role> roles_;  // by region of the profile
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_UNLOGGED_H_
