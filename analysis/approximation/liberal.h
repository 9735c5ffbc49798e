// SPDX-License-Identifier: BSD-3-Clause
// The liberal approximation of 1991, for tasks, and for loops whose pieces threads take when they are free
// (schedule(dynamic) and guided): in another run, other threads would have had them. All such work that the members of
// a team did before a barrier, or in it, is added up, as it would have been, and shared out anew.
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

// By call path: whether its time could have been another thread's of the team, and why.
enum class Shared : uint8_t { kNo, kLoop, kTask };
std::vector<Shared> SharedWork(const epitome::Profile& profile);

class Rescheduled {
 public:
  // For the lower bound, threads come to the barrier as evenly as what they do besides, and the longest task, allow:
  // the minimal critical path. Otherwise they come as far apart as they came: by what the last piece of each took; for
  // the upper bound at least as far as when the longest task begins last.
  Rescheduled(const graph::Graph& graph, const Change& change, std::vector<Shared> shared, Bound bound);

  // Returns the nanoseconds of a wait for tasks that another schedule might have saved.
  double SavedInWait(const graph::Point& point) const;

  // Nanoseconds that go away before a point, because others have the work; negative: that come on top.
  double SavedBefore(graph::Place place) const {
    const auto found = saved_.find(KeyOf(place));
    return found == saved_.end() ? 0 : found->second;
  }

 private:
  struct Piece {
    graph::Place place;
    double work;  // nanoseconds, as it would have been
  };
  struct Member {
    graph::Place barrier;  // where it had done all
    std::vector<Piece> pieces;
    int64_t begun = 0;    // the phase, on this thread
    double measured = 0;  // nanoseconds from when the first thread began the phase to the barrier
    double other = 0;     // the same as it would have been, without the shared work
    double work = 0;      // that, as it would have been …
    double work_measured = 0;
    double longest = 0;  // nobody shares a task with another thread
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
