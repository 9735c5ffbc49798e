// SPDX-License-Identifier: BSD-3-Clause
// EPK_BUDGET by planted visits: which call paths it drops.
#include "runtime/choice/budget.h"

#include <gtest/gtest.h>
#include <time.h>

#include "runtime/choice/arena_test.h"
#include "runtime/choice/hot_paths.h"
#include "runtime/choice/hot_paths_hot.h"

namespace epik::choice {
namespace {

class BudgetTest : public ArenaTest {
 protected:
  void TearDown() override {
    StartBudget(0, 1, false);
    hot_paths_part.forget();
    ArenaTest::TearDown();
  }

  // The program uses this much CPU time.
  static void Work(int64_t ns) {
    const auto now = [] {
      timespec time;
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
      return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
    };
    for (const int64_t end = now() + ns; now() < end;) continue;
  }

  static void Visit(uint32_t node, uint64_t visits, uint64_t ticks) {
    NodeAt(node)->visits += visits;
    NodeAt(node)->ticks += ticks;
  }
};

// The calibrated cost of a tiny function's visits is higher than all of the CPU time. So nothing seems to be left for
// the program, but a function with few visits has worked.
TEST_F(BudgetTest, AFunctionThatCostsLittleIsKeptWhenTheCostIsOverestimated) {
  const episode::Inside guard;
  HotLimits limits;
  limits.budget = 0.05;
  StartHotPaths(limits);
  ASSERT_TRUE(HasHotPaths());
  SetHotCosts({40, 20, 20});
  Location* location = episode::Attach(episode::Origin{}, base::Now());
  ASSERT_NE(location, nullptr);
  const uint32_t outer = epitome::AddChild(location, location->root, kOuter);
  const uint32_t tiny = epitome::AddChild(location, outer, kInner);
  const uint32_t works = epitome::AddChild(location, outer, kLeaf);
  uint64_t now = base::Now();
  SpendLess(location, now, 0);
  for (int look = 1; look <= 3; ++look) {
    Visit(tiny, 1'000'000'000, 40'000'000'000);
    Visit(works, 100, 500'000);
    Work(1'000'000);
    SpendLess(location, now += 1'000'000'000'000, 0);
    const bool is_dropped = hooks.hot_slots[tiny].skip == kDropped;
    EXPECT_EQ(is_dropped, look > 1) << "it is sampled before, look " << look;
  }
  EXPECT_NE(hooks.hot_slots[works].skip, kDropped);
}

}  // namespace
}  // namespace epik::choice
