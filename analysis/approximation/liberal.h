// SPDX-License-Identifier: BSD-3-Clause
// The liberal approximation of 1991, for tasks and for loops whose pieces go to threads that are free
// (schedule(dynamic) and guided): in another run, other threads would have had them. All such work of the members of a
// team before a barrier, or in it, is added up with its approximated times, and shared out anew.
#ifndef EPIK_ANALYSIS_APPROXIMATION_LIBERAL_H_
#define EPIK_ANALYSIS_APPROXIMATION_LIBERAL_H_

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/approximation/change.h"
#include "analysis/approximation/prices.h"
#include "analysis/graph/graph.h"
#include "archive/profile/profile.h"

namespace epik::approximation {

// For each call path: whether another thread of the team could have done its work, and why.
enum class Shared : uint8_t { kNo, kLoop, kTask };
std::vector<Shared> SharedWork(const archive::Profile& profile);

class Rescheduled {
 public:
  // For the lower bound, threads come to the barrier as evenly as their other work and the longest task allow: the
  // minimal critical path. Otherwise they come as far apart as in the measured run, by the lengths of their last
  // pieces. For the upper bound, they come at least as far apart as when the longest task begins last.
  Rescheduled(const graph::Graph& graph, const Change& change, std::vector<Shared> shared, Bound bound);

  // Returns the nanoseconds of a wait for tasks that another schedule might have saved.
  double SavedInWait(const graph::Point& point) const;

  // Nanoseconds that are saved before a point, because other threads have the work; negative: that it takes longer.
  double SavedBefore(graph::Place place) const {
    const auto found = saved_.find(KeyOf(place));
    return found == saved_.end() ? 0 : found->second;
  }

 private:
  struct Piece {
    graph::Place place;
    double work;  // nanoseconds, in the approximation
  };
  struct Member {
    graph::Place barrier;  // the place at which the thread had done all pieces
    std::vector<Piece> pieces;
    int64_t begun = 0;    // begin of the phase, on this thread
    double measured = 0;  // nanoseconds from when the first thread began the phase to the barrier
    double other = 0;     // the same in the approximation, without the shared work
    double work = 0;      // the shared work in the approximation …
    double work_measured = 0;
    double longest = 0;  // the longest task: a single thread runs it
    bool has_loop = false, has_tasks = false;
  };

  static uint64_t KeyOf(graph::Place place) { return uint64_t{place.location} << 32 | place.point; }
  Member Look(graph::Place barrier) const;
  void LookAt(graph::Place place, Member* member) const;
  double WaitedForTask(const graph::Point& point) const;
  static std::vector<double> Shares(const std::vector<Member>& members, double work, double apart);
  void LimitByTasks(const std::vector<Member>& members, double work, std::vector<double>* shares) const;
  void ShareOut(std::vector<Member>* members);

  const graph::Graph& graph_;
  const Change& change_;
  const std::vector<Shared> shared_;
  const Bound bound_;
  std::unordered_map<uint64_t, double> saved_;
};

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_LIBERAL_H_
