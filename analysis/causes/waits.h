// SPDX-License-Identifier: BSD-3-Clause
// The waits of a graph, the last one first: of each location, and of all.
#ifndef EPIK_ANALYSIS_CAUSES_WAITS_H_
#define EPIK_ANALYSIS_CAUSES_WAITS_H_

#include <cstdint>
#include <vector>

#include "analysis/graph/graph.h"

namespace epik::causes {

struct Wait {
  graph::Place place;
  uint32_t edge = graph::kNone;
  bool IsThere() const { return edge != graph::kNone; }
};

// Finds the points at which a location waited, however many are between them at which it did not.
class WaitPoints {
 public:
  // Looks at all points once.
  explicit WaitPoints(const graph::Graph& graph);

  const graph::Graph& graph() const { return graph_; }
  // Returns the last point with a wait before that place, or kNone if there is none.
  uint32_t Before(graph::Place place) const;

 private:
  static constexpr uint32_t kInBlock = 64;
  bool HasWaits(graph::Place place) const { return graph_.At(place).waited_until != INT64_MIN; }

  const graph::Graph& graph_;
  // Holds, for each location and block of points, the last point with waits in the block or before it.
  std::vector<std::vector<uint32_t>> last_;
};

// The waits of a location, backwards.
class WaitsBackwards {
 public:
  // Those that ended at `until` or before. `near`: a point of the location that is not far from there.
  WaitsBackwards(const WaitPoints& points, uint32_t location, int64_t until, uint32_t near = graph::kNone);
  // Begins before a wait of the point. A call may have thousands of waits, and this does not look at the later ones.
  WaitsBackwards(const WaitPoints& points, graph::Place place, const graph::Edge& before);

  // Not there: no more.
  const Wait& now() const { return now_; }
  const graph::Edge& edge() const { return graph().EdgeAt(now_.edge); }
  void Next();
  uint64_t seen() const { return seen_; }  // points with waits
  uint32_t point() const { return place_.IsKnown() ? place_.point : 0; }

 private:
  void Find(uint32_t edge);
  const graph::Graph& graph() const { return points_->graph(); }

  const WaitPoints* points_;
  graph::Place place_;
  Wait now_;
  uint64_t seen_ = 0;
};

// Finds since when two locations have not met, before the call at `waiter` began to wait for the other one. Looks at a
// limited number of points with waits, and takes the place where it stops when it finds no meeting.
struct Common {
  int64_t since;
  uint32_t waiter_near, other_near;  // points not far from then
};
Common FindCommon(const WaitPoints& points, graph::Place waiter, const graph::Edge& wait);

// The waits of all locations in the order of their ends, the last one first. Of those that end together, who is waited
// for comes after those that wait for it.
class AllWaitsBackwards {
 public:
  explicit AllWaitsBackwards(const WaitPoints& points);
  // False: no more.
  bool Next(Wait* wait);

 private:
  struct Entry {
    int64_t to;
    uint32_t location;
    bool operator<(const Entry& other) const { return to != other.to ? to < other.to : location > other.location; }
  };
  void Push(uint32_t location);
  void TakeThoseThatEndTogether();

  std::vector<WaitsBackwards> of_;
  std::vector<Entry> heap_;
  std::vector<Wait> together_;        // the next one last
  std::vector<uint32_t> waited_for_;  // scratch
};

}  // namespace epik::causes

#endif  // EPIK_ANALYSIS_CAUSES_WAITS_H_
