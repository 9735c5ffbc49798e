// SPDX-License-Identifier: BSD-3-Clause
// Computes when each event of a location would have been, from the times of its points:
//
//   Retiming retiming(graph, marks, times, change, location);
//   for each event, in order: t = retiming.Take(kind, measured ns, path);
//
// Between two points the formula of 2005 holds for independent events, a(i) = a(i-1) + (m(i) - m(i-1)) - α, where an
// event is never before the one before it. Inside a call that waits, events that tell others something are at its
// begin, and events that tell what others did are at its end. So a message is received after it was sent in the events,
// too.
#ifndef EPIK_ANALYSIS_APPROXIMATION_RETIMING_H_
#define EPIK_ANALYSIS_APPROXIMATION_RETIMING_H_

#include <cstdint>
#include <vector>

#include "analysis/approximation/change.h"
#include "analysis/approximation/forward.h"
#include "analysis/approximation/marks.h"
#include "archive/trace/event.h"

namespace epik::approximation {

class Retiming {
 public:
  // All arguments outlive it.
  Retiming(const graph::Graph& graph, const Marks& marks, const Times& times, const Change& change, uint32_t location)
      : graph_(graph), marks_(marks), moments_(times.points[location]), change_(change), location_(location) {}

  // `path`: for an enter, the call path that is entered. Nanoseconds of the graph's time, which never fall.
  double Take(event::RecordKind kind, int64_t measured, uint32_t path);

 private:
  bool IsFolded(bool enters, uint32_t path) const;
  bool AtPoint(uint64_t number, double* at);
  double Between(double raw) const;
  double Inside(event::RecordKind kind, int64_t measured);

  const graph::Graph& graph_;
  const Marks& marks_;
  const std::vector<Moment>& moments_;
  const Change& change_;
  const uint32_t location_;
  std::vector<uint32_t> open_;  // call paths
  uint64_t number_ = 0;         // of the next event
  uint32_t next_ = 0;           // the first point that has not been opened
  bool inside_ = false;         // inside the point before it
  bool came_in_ = false;        // the event that the point waited for has come
  bool begun_ = false;
  int64_t measured_ = 0;  // of the last event
  double raw_ = 0;        // the formula's time, which may fall
  double last_ = 0;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_RETIMING_H_
