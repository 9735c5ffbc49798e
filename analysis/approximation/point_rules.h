// SPDX-License-Identifier: BSD-3-Clause
// When a point ends that others decide about: the formulas of the papers, each by its name. All have one form, the
// latest of what the location does itself and of what it needs:
//
//   end_a = max(begin_a + local, ready_a + lag of each need)
//
// They differ in how `local` and `lag` follow from the measured run, and `_m` and `_a` are its times and the
// approximated ones. docs/compensation.md derives them.
#ifndef EPIK_ANALYSIS_APPROXIMATION_POINT_RULES_H_
#define EPIK_ANALYSIS_APPROXIMATION_POINT_RULES_H_

#include <vector>

#include "analysis/approximation/rules.h"
#include "analysis/approximation/transfers.h"

namespace epik::approximation {

// Something that a point needs before it can end: of a meeting, the last member.
struct Need {
  graph::EdgeKind kind = graph::EdgeKind::kMessage;
  graph::Place partner;
  uint64_t bytes = 0;
  uint32_t members = 2;
  bool is_operation = false;  // a collective one, also where its rule is that of a message
  double ready = 0;           // when it was there in the approximation …
  int64_t measured = 0;       // … and when in the measured run
  uint32_t meeting = graph::kNone;
};

class PointRules {
 public:
  PointRules(const graph::Graph& graph, const Transfers& transfers, const Change& change, const Rules& rules)
      : graph_(graph), transfers_(transfers), change_(change), rules_(rules) {}

  // Whether the point depends on this, by the model.
  bool Counts(const graph::Point& point, const graph::Edge& edge) const;
  // Fills in moment->end and who decided it. Of the first point of a location, nobody knows the begin but by its needs.
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
