// SPDX-License-Identifier: BSD-3-Clause
// In the approximation, too, waits for tasks (taskwait, the end of a taskgroup) end when the tasks do. Tasks with
// dependences begin when the tasks that they need have ended.
#include <gtest/gtest.h>

#include "analysis/approximation/forward.h"
#include "analysis/approximation/liberal.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"
#include "analysis/replay/test_tasks.h"

namespace epik::approximation {
namespace {

using replay::Script;

// Thread 0 creates three tasks, and runs the last one while it waits for all of them. Thread 1 runs the other two.
constexpr char kWait[] =
    R"(0: 0 > m | 0 fork x 1 | 0 team_begin 0 1 0 | 10 task_create 1 | 20 task_create 2 | 30 task_create 3 | 40 > omp_taskwait | 50 > task | 50 task_begin 3 | 150 task_end 3 | 150 < | 460 < | 500 team_end 1 | 500 > omp_ibarrier | 500 barrier | 510 < | 510 join 1 | 600 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 0 team_end 1 | 0 > omp_ibarrier | 0 barrier | 20 > work | 20 task_begin 1 | 220 task_end 1 | 220 < | 230 > work | 230 task_begin 2 | 450 task_end 2 | 450 < | 510 < | 510 <)";

// The second task needs the first one, which thread 0 runs at a taskwait.
constexpr char kNeeds[] =
    R"(0: 0 > m | 0 fork x 1 | 0 team_begin 0 1 0 | 10 task_create 1 | 10 task_needs 1 4096 2 | 20 task_create 2 | 20 task_needs 2 4096 1 | 30 > omp_taskwait | 40 > work | 40 task_begin 1 | 240 task_end 1 | 240 < | 360 < | 400 team_end 1 | 400 > omp_ibarrier | 400 barrier | 410 < | 410 join 1 | 500 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 0 team_end 1 | 0 > omp_ibarrier | 0 barrier | 250 > task | 250 task_begin 2 | 350 task_end 2 | 350 < | 410 < | 410 <)";

// Thread 1 is still in the first barrier when thread 0 has left it, and runs a task there that thread 0 waits for.
constexpr char kStays[] =
    R"(0: 0 > m | 0 fork x 1 | 0 team_begin 0 1 0 | 100 > omp_ibarrier | 100 barrier | 110 < | 120 task_create 1 | 130 task_create 2 | 140 > omp_taskwait | 150 > task | 150 task_begin 2 | 250 task_end 2 | 250 < | 360 < | 400 team_end 1 | 400 > omp_ibarrier | 400 barrier | 410 < | 410 join 1 | 500 <
       0.1: 0 > omp | 0 team_begin 0 1 1 | 10 > omp_ibarrier | 10 barrier | 150 > work | 150 task_begin 1 | 350 task_end 1 | 350 < | 352 < | 360 team_end 1 | 360 > omp_ibarrier | 360 barrier | 410 < | 410 <)";

// A share of the time in a region is saved.
class Less : public Change {
 public:
  Less(const Script& script, std::string region, double share)
      : script_(script), region_(std::move(region)), share_(share) {}
  double SavedShare(uint32_t, uint32_t path) const override {
    return script_.PathName(path).ends_with(region_) ? share_ : 0;
  }

 private:
  const Script& script_;
  const std::string region_;
  const double share_;
};

double Lasts(const char* text, const char* region, double share, Rules rules = {}) {
  Script script(1);
  script.Add(text);
  const graph::Made made = graph::Make(&script);
  EXPECT_EQ(made.unplaced, 0u);
  const Less change(script, region, share);
  const Rescheduled rescheduled(*made.graph, change, std::vector<Shared>(16, Shared::kNo), rules.bound);
  if (rules.model == Model::kLiberal) rules.rescheduled = &rescheduled;
  const Times times = Forward(*made.graph, {0, 0}, Transfers(*made.graph), change, rules);
  EXPECT_EQ(times.forced, 0u);
  return times.Lasted();
}

TEST(Tasks, NothingRemovedIsWhatWasMeasured) {
  EXPECT_NEAR(Lasts(kWait, "work", 0), 600, 0.5);
  EXPECT_NEAR(Lasts(kNeeds, "work", 0), 500, 0.5);
}

TEST(Tasks, ThatRunInABarrierThatIsOver) {
  EXPECT_NEAR(Lasts(kStays, "work", 0), 500, 0.5);
  // 150 - 250; the wait ends at 260, the region at 300, the run at 400.
  EXPECT_NEAR(Lasts(kStays, "work", 0.5), 400, 0.5);
}

TEST(Tasks, WhoWaitsForThemGoesOnEarlier) {
  // 20 - 120, 130 - 240; the wait ends at 250, the region at 300, the run at 390.
  EXPECT_NEAR(Lasts(kWait, "work", 0.5), 390, 0.5);
}

// Faster tasks of others do not help while the thread runs one of its own: until 150, then 10 to leave.
TEST(Tasks, ItsOwnTaskKeepsItsTime) { EXPECT_NEAR(Lasts(kWait, "work", 0.9), 300, 0.5); }

// When the tasks of thread 1 become longer, thread 0 waits longer. When its own task takes until 550, all others have
// ended.
TEST(Tasks, WhoDidNotWaitMayHaveTo) {
  // 20 - 620, 630 - 1290
  EXPECT_NEAR(Lasts(kWait, "work", -2), 1440, 0.5);
  EXPECT_NEAR(Lasts(kWait, "task", -4), 700, 0.5);
}

TEST(Tasks, BeginWhenThoseThatTheyNeedHaveEnded) {
  // 40 - 140, 150 - 250, 260, 300, 310, 400
  EXPECT_NEAR(Lasts(kNeeds, "work", 0.5), 400, 0.5);
  EXPECT_NEAR(Lasts(kNeeds, "task", 0.5), 450, 0.5);
}

TEST(Tasks, OtherModelsHaveTheirOwnWaits) {
  Rules rules;
  rules.model = Model::kTime;  // waits for tasks last as they did
  EXPECT_NEAR(Lasts(kWait, "work", 0.5, rules), 600, 0.5);
  rules.model = Model::kLiberal;  // another thread may have the task: at best nobody waits for one
  rules.bound = Bound::kLower;
  EXPECT_LE(Lasts(kWait, "work", 0.5, rules), 390);
}

TEST(Tasks, NothingRemovedFromRandomTeamsIsWhatWasMeasured) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const replay::TaskProgram program(2 + static_cast<int>(seed % 3), 6, seed);
    Script script(1);
    program.Write(&script);
    const graph::Made made = graph::Make(&script);
    const std::vector<uint32_t> leaders(made.graph->locations(), 0);
    const Times times = Forward(*made.graph, leaders, Transfers(*made.graph), Change(), {});
    const Times measured = Measured(*made.graph);
    for (uint32_t l = 0; l < made.graph->locations(); ++l) {
      for (size_t p = 0; p < measured.points[l].size(); ++p) {
        ASSERT_NEAR(times.points[l][p].begin, measured.points[l][p].begin, 0.5) << seed << ": " << l << "." << p;
        ASSERT_NEAR(times.points[l][p].end, measured.points[l][p].end, 0.5) << seed << ": " << l << "." << p;
      }
    }
  }
}

}  // namespace
}  // namespace epik::approximation
