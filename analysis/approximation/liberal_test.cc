// SPDX-License-Identifier: BSD-3-Clause
// Work of dynamic loops is shared out anew: all of it, no more, and as evenly as the other work allows.
#include "analysis/approximation/liberal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <span>

#include "analysis/approximation/forward.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// Two threads share a loop and come to its end at 1000 and 960. The run ends 90 after their barrier.
constexpr char kLoop[] =
    R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 join 1 | 1010 < | 1100 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 0 > loop | 960 < | 960 team_end 1 | 960 > omp_ibarrier | 960 barrier | 1010 < | 1010 <)";

// A share of the work in some call paths is saved, by thread.
class LessWork : public Change {
 public:
  LessWork(std::vector<double> shares, std::vector<Shared> where)
      : shares_(std::move(shares)), where_(std::move(where)) {}
  double SavedShare(uint32_t location, uint32_t path) const override {
    return path < where_.size() && where_[path] != Shared::kNo ? shares_[location] : 0;
  }

 private:
  std::vector<double> shares_;
  std::vector<Shared> where_;
};

std::vector<Shared> SharedOf(const Script& script, const char* region, Shared kind) {
  std::vector<Shared> shared;
  for (uint32_t path = 0; script.PathName(path) != "?"; ++path) {
    shared.push_back(script.PathName(path).ends_with(region) ? kind : Shared::kNo);
  }
  return shared;
}
std::vector<Shared> LoopsOf(const Script& script) { return SharedOf(script, "loop", Shared::kLoop); }

Times With(const graph::Graph& graph, const Change& change, const std::vector<Shared>& shared, Bound bound) {
  const Rescheduled rescheduled(graph, change, shared, bound);
  Rules rules;
  rules.bound = bound;
  rules.model = Model::kLiberal;
  rules.rescheduled = &rescheduled;
  return Forward(graph, {0, 0}, Transfers(graph), change, rules);
}

TEST(Liberal, NothingRemovedIsWhatWasMeasured) {
  Script script(1);
  script.Add(kLoop);
  const graph::Made made = graph::Make(&script);
  const std::vector<Shared> shared = LoopsOf(script);
  const Times times = With(*made.graph, Change(), shared, Bound::kUpper);
  const Times measured = Measured(*made.graph);
  for (uint32_t l = 0; l < 2; ++l) {
    for (size_t p = 0; p < measured.points[l].size(); ++p) {
      EXPECT_NEAR(times.points[l][p].begin, measured.points[l][p].begin, 0.5) << l << "." << p;
      EXPECT_NEAR(times.points[l][p].end, measured.points[l][p].end, 0.5) << l << "." << p;
    }
  }
}

TEST(Liberal, WhatOneThreadSavesBothHave) {
  Script script(1);
  script.Add(kLoop);
  const graph::Made made = graph::Make(&script);
  const std::vector<Shared> shared = LoopsOf(script);
  const LessWork change({0, 0.5}, shared);
  Rules rules;
  // Each thread does its own work, so the first one decides, and nothing is saved.
  EXPECT_NEAR(Forward(*made.graph, {0, 0}, Transfers(*made.graph), change, rules).Lasted(), 1100, 0.5);
  // 1000 + 480 for both: 740 each.
  EXPECT_NEAR(With(*made.graph, change, shared, Bound::kLower).Lasted(), 840, 0.5);
  // The threads come as far apart as before, less by the share of work that is saved.
  EXPECT_NEAR(With(*made.graph, change, shared, Bound::kUpper).Lasted(), 100 + 740 + 20 * 1480.0 / 1960, 0.5);
}

// A thread that comes to its part late takes fewer pieces.
TEST(Liberal, WhoComesLateTakesLess) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 join 1 | 1010 < | 1100 <
         0.1: 600 > omp | 600 team_begin 0 1 1 | 600 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 <)");
  const graph::Made made = graph::Make(&script);
  const std::vector<Shared> shared = LoopsOf(script);
  EXPECT_NEAR(With(*made.graph, Change(), shared, Bound::kLower).Lasted(), 1100, 0.5);
  // Half of 1000 + 400 is left: the first thread has 650 of it, and the other one comes at 600 and has 50.
  EXPECT_NEAR(With(*made.graph, LessWork({0.5, 0.5}, shared), shared, Bound::kLower).Lasted(), 750, 0.5);
}

// A thread with much other work takes fewer pieces, or none.
TEST(Liberal, WorkGoesToWhoIsFree) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > own | 900 < | 900 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 join 1 | 1010 < | 1100 <
         0.1: 0 > omp | 0 team_begin 0 1 1 | 0 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 <)");
  const graph::Made made = graph::Make(&script);
  const std::vector<Shared> shared = LoopsOf(script);
  // 1100 of loops become 110; the second thread does them all while the first one does its own 900.
  EXPECT_NEAR(With(*made.graph, LessWork({0.9, 0.9}, shared), shared, Bound::kLower).Lasted(), 1000, 0.5);
  // A tenth more in the loop of the second thread: 900 + 100 + 1100 are 1050 each.
  EXPECT_NEAR(With(*made.graph, LessWork({0, -0.1}, shared), shared, Bound::kLower).Lasted(), 1150, 0.5);
}

// The first thread makes two tasks. The other one waits in the barrier for the first task. Then each runs one.
constexpr char kTasks[] =
    R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > single | 100 task_create 1 | 200 task_create 2 | 300 < | 300 team_end 1 | 300 > omp_ibarrier | 300 barrier | 300 > task | 300 task_begin 2 | 900 < | 910 < | 910 join 1 | 910 < | 1000 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 0 team_end 1 | 0 > omp_ibarrier | 0 barrier | 110 > task | 110 task_begin 1 | 410 < | 910 < | 910 <)";

TEST(Liberal, TasksBeginWhenTheyAreMade) {
  Script script(1);
  script.Add(kTasks);
  const graph::Made made = graph::Make(&script);
  Rules rules;
  EXPECT_NEAR(Forward(*made.graph, {0, 0}, Transfers(*made.graph), Change(), rules).Lasted(), 1000, 0.5);
  // The tasks are made at 50 and 100. The second one runs from 150 to 750, the first one from 60 to 360.
  const LessWork faster({0.5, 0}, SharedOf(script, "single", Shared::kTask));
  const Times times = Forward(*made.graph, {0, 0}, Transfers(*made.graph), faster, rules);
  EXPECT_NEAR(times.Lasted(), 850, 0.5);
  const graph::Place waits{1, 1};  // after the begin of the thread: in the barrier
  ASSERT_TRUE(made.graph->At(waits).interrupted);
  EXPECT_NEAR(times.At(waits).end, 60, 0.5);
  // Nobody leaves the barrier before the last task is done, on whatever thread it is.
  const LessWork slower({0, -1}, SharedOf(script, "task", Shared::kTask));
  EXPECT_NEAR(Forward(*made.graph, {0, 0}, Transfers(*made.graph), slower, rules).Lasted(), 1000, 0.5);
  const LessWork slowest({0, -2}, SharedOf(script, "task", Shared::kTask));
  EXPECT_NEAR(Forward(*made.graph, {0, 0}, Transfers(*made.graph), slowest, rules).Lasted(), 110 + 900 + 100, 0.5);
}

TEST(Liberal, TasksGoToWhoIsFree) {
  Script script(1);
  script.Add(kTasks);
  const graph::Made made = graph::Make(&script);
  const std::vector<Shared> shared = SharedOf(script, "task", Shared::kTask);
  // 300 for making, 10 of the other thread and 900 of tasks make 605 each. Then the longest task is on the other
  // thread, which begins its part when the first task is there, at 110.
  EXPECT_NEAR(With(*made.graph, Change(), shared, Bound::kLower).Lasted(), 110 + 600 + 100, 0.5);
  // 300 + 10 + 450 make 380 each.
  const LessWork change({0.5, 0.5}, shared);
  EXPECT_NEAR(With(*made.graph, change, shared, Bound::kLower).Lasted(), 110 + 370 + 100, 0.5);
  EXPECT_GE(With(*made.graph, Change(), shared, Bound::kUpper).Lasted(), 1000 - 0.5);
}

// Tasks of uneven length, with and without the time that measuring adds. Each task goes to the thread that is free
// first, so measuring changes which thread has which task.
class Tasks {
 public:
  static constexpr uint32_t kWork = 0, kTask = 1;

  Tasks(uint32_t seed, int64_t alpha) : random_(seed), alpha_(alpha), now_(kThreads), graph(kThreads) {
    Make(2 + Draw(40));
    for (const auto& [ns, visits] : tasks_) Run(ns + alpha_ * visits, visits);
    std::vector<graph::MeetingMember> members(kThreads);
    const int64_t all = *std::max_element(now_.begin(), now_.end());
    for (uint32_t l = 0; l < kThreads; ++l) {
      members[l].place = first_[l];
      members[l].completed = AddBarrier(l, now_[l], all + 100, false);
      if (!first_[l].IsKnown()) members[l].place = members[l].completed;
    }
    const uint32_t number = graph.AddMeeting({.operation = {replay::Role::kImplicitBarrier}}, members);
    for (uint32_t l = 0; l < kThreads; ++l) {
      graph.AddEdge(members[l].completed,
                    {.partner = members[0].place, .meeting = number, .kind = graph::EdgeKind::kTeam});
      Add(l, {.begin = all + 100, .end = all + 100, .kind = graph::PointKind::kEnd}, {});
    }
  }

 private:
  static constexpr uint32_t kThreads = 3;
  uint32_t Draw(uint32_t below) { return static_cast<uint32_t>(random_() % below); }

  graph::Place Add(uint32_t l, const graph::Point& point, std::span<const graph::Cell> cells) {
    return graph.AddPoint(l, point, cells);
  }
  graph::Place AddBarrier(uint32_t l, int64_t begin, int64_t end, bool left) {
    graph::Point point;
    point.begin = begin;
    point.end = end;
    point.operation = {replay::Role::kImplicitBarrier};
    point.path = 2;
    point.continues = first_[l].IsKnown();
    point.interrupted = left;
    const bool has_task = ran_[l].ns > 0;
    const graph::Place place = Add(l, point, has_task ? std::span(&ran_[l], 1) : std::span<const graph::Cell>());
    if (!first_[l].IsKnown()) first_[l] = place;
    return place;
  }

  void Make(uint32_t count) {
    for (uint32_t l = 0; l < kThreads; ++l) Add(l, {.kind = graph::PointKind::kIdle}, {});
    for (uint32_t t = 0; t < count; ++t) {
      tasks_.push_back({1000 + Draw(20000), Draw(100)});
      const graph::Cell cells[] = {{kWork, 0, 200}};
      now_[0] += 200;
      made_.push_back(Add(0, {.begin = now_[0], .end = now_[0], .kind = graph::PointKind::kRelease}, cells));
    }
  }

  void Run(int64_t ns, uint32_t visits) {
    const graph::Place made = made_[next_++];
    const int64_t there = graph.At(made).begin;
    uint32_t l = 0;
    for (uint32_t other = 1; other < kThreads; ++other) {
      if (std::max(now_[other], there) < std::max(now_[l], there)) l = other;
    }
    const int64_t begun = std::max(now_[l], there) + 50;
    const graph::Place barrier = AddBarrier(l, now_[l], begun, true);
    if (l != 0) graph.AddEdge(barrier, {.partner = made, .kind = graph::EdgeKind::kMade});
    ran_[l] = {kTask, visits, ns};
    now_[l] = begun + ns;
  }

  std::mt19937 random_;
  int64_t alpha_;
  std::vector<std::pair<int64_t, uint32_t>> tasks_;
  std::vector<graph::Place> made_;
  size_t next_ = 0;
  std::vector<int64_t> now_;
  graph::Cell ran_[kThreads] = {};
  graph::Place first_[kThreads];

 public:
  graph::Graph graph;
};

class LessVisits : public Change {
 public:
  explicit LessVisits(double ns) : ns_(ns) {}
  double SavedAtVisit(uint32_t, uint32_t path) const override { return path == Tasks::kTask ? ns_ : 0; }

 private:
  double ns_;
};

TEST(Liberal, RandomTasksLieBetweenTheBounds) {
  constexpr uint32_t kPrograms = 1000;
  const std::vector<Shared> shared = {Shared::kNo, Shared::kTask, Shared::kNo};
  uint32_t inside = 0;
  double width = 0;
  for (uint32_t seed = 0; seed < kPrograms; ++seed) {
    const Tasks measured(seed, 200), bare(seed, 0);
    const LessVisits change(200);
    const auto bound = [&](Bound which) {
      const Rescheduled rescheduled(measured.graph, change, shared, which);
      Rules rules;
      rules.bound = which;
      rules.model = Model::kLiberal;
      rules.rescheduled = &rescheduled;
      return Forward(measured.graph, {0, 0, 0}, Transfers(measured.graph), change, rules).Lasted();
    };
    const double truth = Measured(bare.graph).Lasted(), lower = bound(Bound::kLower), upper = bound(Bound::kUpper);
    inside += lower <= truth + 0.5 && truth <= upper + 0.5 ? 1 : 0;
    width += (upper - lower) / truth;
  }
  EXPECT_GE(inside, 0.99 * kPrograms);
  EXPECT_LT(width / kPrograms, 0.4);
}

TEST(Liberal, SharedWorkIsKnownByItsConstruct) {
  archive::Profile profile;
  profile.regions.resize(6);
  const char* names[] = {
      "main", "for dynamic @a.c:1", "for static @a.c:2", "parallel @a.c:1", "for guided @b.c:3", "task @b.c:4"};
  const char* roles[] = {"function", "loop", "loop", "parallel", "loop", "task"};
  for (size_t r = 0; r < 6; ++r) {
    profile.regions[r].name = names[r];
    profile.regions[r].role = roles[r];
    profile.regions[r].paradigm = r == 0 ? "compiler" : "openmp";
  }
  // main, dynamic, main within it, a parallel region within that, static, guided, a task, main within it
  profile.call_paths = {{0, archive::kNone}, {1, 0}, {0, 1}, {3, 2}, {2, 0}, {4, 0}, {5, 0}, {0, 6}};
  EXPECT_EQ(SharedWork(profile), (std::vector<Shared>{Shared::kNo, Shared::kLoop, Shared::kLoop, Shared::kNo,
                                                      Shared::kNo, Shared::kLoop, Shared::kTask, Shared::kTask}));
}

}  // namespace
}  // namespace epik::approximation
