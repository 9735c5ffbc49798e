// SPDX-License-Identifier: BSD-3-Clause
// Tells when a point ends whose end depends on other locations: the formulas of the papers, each by its name. All have
// one form, the latest of the location's own work and of its needs:
//
//   end_a = max(begin_a + local, ready_a + lag of each need)
//
// They differ in how `local` and `lag` follow from the measured run. `_m` are measured times and `_a` approximated
// ones. docs/compensation.md derives them.
#ifndef EPIK_ANALYSIS_APPROXIMATION_POINT_RULES_H_
#define EPIK_ANALYSIS_APPROXIMATION_POINT_RULES_H_

#include <vector>

#include "analysis/approximation/rules.h"
#include "analysis/approximation/transfers.h"

namespace epik::approximation {

// Something that a point needs before it can end; for a meeting, its last member.
struct Need {
  graph::EdgeKind kind = graph::EdgeKind::kMessage;
  graph::Place partner;
  uint64_t bytes = 0;
  uint32_t members = 2;
  bool is_operation = false;  // a collective operation, even if it follows the rule of messages
  double ready = 0;           // when it was there in the approximation …
  int64_t measured = 0;       // … and in the measured run
  uint32_t meeting = graph::kNone;
  bool is_taken = false;  // an operation: the partner waited until this point took its data
};

class PointRules {
 public:
  PointRules(const graph::Graph& graph, const Transfers& transfers, const Change& change, const Rules& rules)
      : graph_(graph), transfers_(transfers), change_(change), rules_(rules) {}

  // Whether the point depends on this edge, by the model.
  bool Counts(const graph::Point& point, const graph::Edge& edge) const;
  // Fills in moment->end and the point that decided it. The begin of a location's first point is known only by its
  // needs.
  void End(graph::Place place, const std::vector<Need>& needs, Moment* moment) const;

 private:
  struct Facts;
  bool IsOverlapped(const graph::Point& point, const Need& need) const;
  bool IsSynchronous(const Need& need) const;
  int64_t HappenedAt(const graph::Edge& edge) const;
  double LagOf(const graph::Point& point, const Need& need, const Facts& facts) const;
  double ForLocks(const graph::Point& point) const;
  double LocalOf(const graph::Point& point, const std::vector<Need>& needs, const Facts& facts) const;
  double OnNetwork(const graph::Point& point, const Need& need) const;
  double MoreByPlacement(uint32_t location, const graph::Point& point, const Need& need) const;

  const graph::Graph& graph_;
  const Transfers& transfers_;
  const Change& change_;
  const Rules& rules_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_POINT_RULES_H_
