// SPDX-License-Identifier: BSD-3-Clause
// Advance and await of DOACROSS loops (1991, event-based): a thread has the iteration that it needs when the other
// thread is done with it and the time between both has passed.
#include <gtest/gtest.h>

#include "analysis/approximation/forward.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

// The first thread works until 400, and the other one waits for that. Then the first one waits until 690 for the other
// one.
constexpr char kLoop[] =
    R"(0: 0 > m | 0 > omp | 0 fork x 1 | 0 team_begin 0 1 0 | 0 > work | 400 < | 400 iteration_done 5 0 | 500 > omp_ordered | 700 iteration_needed 5 1 | 700 < | 800 team_end 1 | 800 > omp_ibarrier | 800 barrier | 810 < | 810 join 1 | 810 < | 900 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 100 > omp_ordered | 410 iteration_needed 5 0 | 410 < | 410 > part | 690 < | 690 iteration_done 5 1 | 700 team_end 1 | 700 > omp_ibarrier | 700 barrier | 810 < | 810 <)";

// Shares of the time in a region that are saved.
class Less : public Change {
 public:
  Less(const Script& script, double work, double part) : script_(script), work_(work), part_(part) {}
  double SavedShare(uint32_t, uint32_t path) const override {
    const std::string name = script_.PathName(path);
    return name.ends_with("work") ? work_ : name.ends_with("part") ? part_ : 0;
  }

 private:
  const Script& script_;
  double work_, part_;
};

double Lasts(double work, double part, Model model) {
  Script script(1);
  script.Add(kLoop);
  const graph::Made made = graph::Make(&script);
  Rules rules;
  rules.model = model;
  const Times times = Forward(*made.graph, {0, 0}, Transfers(*made.graph), Less(script, work, part), rules);
  EXPECT_EQ(times.forced, 0u);
  return times.Lasted();
}

TEST(Iterations, NothingRemovedIsWhatWasMeasured) { EXPECT_NEAR(Lasts(0, 0, Model::kEvent), 900, 0.5); }

TEST(Iterations, WhoWaitsGoesOnEarlier) {
  // 200, 210, 490, 500, 600, 610
  EXPECT_NEAR(Lasts(0.5, 0, Model::kEvent), 700, 0.5);
  // 400, 410, 550, 560, 660, 670
  EXPECT_NEAR(Lasts(0, 0.5, Model::kEvent), 760, 0.5);
}

// The wait disappears: the first thread comes at 500, and the iteration that it needs was done at 482.
TEST(Iterations, NobodyWaitsForWhatIsThere) {
  // 400, 410, 438: 500 + 10, 610, 620
  EXPECT_NEAR(Lasts(0, 0.9, Model::kEvent), 710, 0.5);
}

// An iteration that the thread did not wait for becomes later.
TEST(Iterations, WhoDidNotWaitMayHaveTo) {
  // 1200, 1210, 1490, 1500, 1600, 1610
  EXPECT_NEAR(Lasts(-2, 0, Model::kEvent), 1700, 0.5);
}

TEST(Iterations, InTheTimeModelThreadsMeetAtBarriersOnly) {
  // 200, 300, 200 of waiting, 600, 100 before the other thread: 700 and 10 more
  EXPECT_NEAR(Lasts(0.5, 0, Model::kTime), 800, 0.5);
}

}  // namespace
}  // namespace epik::approximation
