// SPDX-License-Identifier: BSD-3-Clause
// Work of dynamic loops is shared out anew: all of it, no more, and as evenly as the rest allows.
#include "analysis/approximation/liberal.h"

#include <gtest/gtest.h>

#include "analysis/approximation/forward.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// Two threads share a loop and meet after it, at 1000 and 960; the run ends 90 later.
constexpr char kLoop[] =
    R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 join 1 | 1010 < | 1100 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 0 > loop | 960 < | 960 team_end 1 | 960 > omp_ibarrier | 960 barrier | 1010 < | 1010 <)";

// A share of the work in loops goes away, by thread.
class LessWork : public Change {
 public:
  LessWork(std::vector<double> shares, std::vector<bool> shared)
      : shares_(std::move(shares)), shared_(std::move(shared)) {}
  double SavedShare(uint32_t location, uint32_t path) const override {
    return path < shared_.size() && shared_[path] ? shares_[location] : 0;
  }

 private:
  std::vector<double> shares_;
  std::vector<bool> shared_;
};

std::vector<bool> LoopsOf(const Script& script) {
  std::vector<bool> shared;
  for (uint32_t path = 0; script.PathName(path) != "?"; ++path) {
    shared.push_back(script.PathName(path).find("loop") != std::string::npos);
  }
  return shared;
}

Times With(const graph::Graph& graph, const Change& change, const std::vector<bool>& shared, Bound bound) {
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
  const std::vector<bool> shared = LoopsOf(script);
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
  const std::vector<bool> shared = LoopsOf(script);
  const LessWork change({0, 0.5}, shared);
  Rules rules;
  // Each thread its own work: the first one decides, and nothing is gained.
  EXPECT_NEAR(Forward(*made.graph, {0, 0}, Transfers(*made.graph), change, rules).Lasted(), 1100, 0.5);
  // 1000 + 480 for both: 740 each.
  EXPECT_NEAR(With(*made.graph, change, shared, Bound::kLower).Lasted(), 840, 0.5);
  // They come as far apart as they came, by less as all of the work is less.
  EXPECT_NEAR(With(*made.graph, change, shared, Bound::kUpper).Lasted(), 100 + 740 + 20 * 1480.0 / 1960, 0.5);
}

// A thread with much to do besides takes fewer pieces, or none.
TEST(Liberal, WorkGoesToWhoIsFree) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > own | 900 < | 900 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 join 1 | 1010 < | 1100 <
         0.1: 0 > omp | 0 team_begin 0 1 1 | 0 > loop | 1000 < | 1000 team_end 1 | 1000 > omp_ibarrier | 1000 barrier | 1010 < | 1010 <)");
  const graph::Made made = graph::Make(&script);
  const std::vector<bool> shared = LoopsOf(script);
  // 1100 of loops become 110; the second thread does them all while the first one does its own 900.
  EXPECT_NEAR(With(*made.graph, LessWork({0.9, 0.9}, shared), shared, Bound::kLower).Lasted(), 1000, 0.5);
  // A tenth more in the loop of the second thread: 900 + 100 + 1100 are 1050 each.
  EXPECT_NEAR(With(*made.graph, LessWork({0, -0.1}, shared), shared, Bound::kLower).Lasted(), 1150, 0.5);
}

TEST(Liberal, LoopsAreKnownByTheirSchedule) {
  epitome::Profile profile;
  profile.regions.resize(5);
  const char* names[] = {"main", "for dynamic @a.c:1", "for static @a.c:2", "parallel @a.c:1", "for guided @b.c:3"};
  const char* roles[] = {"function", "loop", "loop", "parallel", "loop"};
  for (size_t r = 0; r < 5; ++r) {
    profile.regions[r].name = names[r];
    profile.regions[r].role = roles[r];
    profile.regions[r].paradigm = r == 0 ? "compiler" : "openmp";
  }
  // main, dynamic, main within it, a parallel region within that, static, guided
  profile.call_paths = {{0, epitome::kNone}, {1, 0}, {0, 1}, {3, 2}, {2, 0}, {4, 0}};
  EXPECT_EQ(SharedWork(profile), (std::vector<bool>{false, true, true, false, false, true}));
}

}  // namespace
}  // namespace epik::approximation
