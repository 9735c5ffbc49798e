// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/when.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace epik::monitor {
namespace {

When Parsed(const std::string& text) {
  When when;
  std::string error;
  EXPECT_TRUE(When::Parse(text, &when, &error)) << error;
  return when;
}

Moment At(double time, double balance) {
  Moment moment;
  moment.time = time;
  moment.interval = 1;
  moment.has_balance = true;
  moment.balance = balance;
  return moment;
}

TEST(When, ActsOnceWhenItHasHeldLongEnough) {
  When when = Parsed("balance<0.7 for 3s");
  EXPECT_FALSE(when.IsDue(At(1, 0.5)));
  EXPECT_FALSE(when.IsDue(At(2, 0.9)));  // not any more
  EXPECT_FALSE(when.IsDue(At(3, 0.5)));
  EXPECT_FALSE(when.IsDue(At(4, 0.5)));
  EXPECT_TRUE(when.IsDue(At(5, 0.5)));
  EXPECT_FALSE(when.IsDue(At(6, 0.5)));
  EXPECT_FALSE(when.IsDue(At(7, 0.8)));
  EXPECT_FALSE(when.IsDue(At(8, 0.1)));
  EXPECT_FALSE(when.IsDue(At(9, 0.1)));
  EXPECT_TRUE(when.IsDue(At(10, 0.1)));
}

TEST(When, FiguresUnitsAndAtOnce) {
  EXPECT_TRUE(Parsed("balance < 70%").IsDue(At(1, 0.5)));
  EXPECT_FALSE(Parsed("balance>70%").IsDue(At(1, 0.5)));
  Moment moment;
  EXPECT_FALSE(Parsed("balance<1").IsDue(moment)) << "there is none";
  EXPECT_FALSE(Parsed("discarded<1").IsDue(moment)) << "nothing is noted";
  moment.has_notes = true;
  moment.discarded = 3;
  EXPECT_FALSE(Parsed("waited<1").IsDue(moment)) << "no process runs";
  EXPECT_FALSE(Parsed("rate<1").IsDue(moment)) << "the region was not entered";
  moment.has_waited = true;
  moment.waited = 0.3;
  moment.has_rate = true;
  moment.rate = 5;
  moment.late = 0.01;
  moment.has_late = true;
  EXPECT_TRUE(Parsed("discarded>2").IsDue(moment));
  EXPECT_TRUE(Parsed("waited>25%").IsDue(moment));
  EXPECT_TRUE(Parsed("rate<6").IsDue(moment));
  EXPECT_TRUE(Parsed("late>9ms").IsDue(moment));
  EXPECT_FALSE(Parsed("standing<1").IsDue(moment)) << "no process runs";
  moment.processes = 2;
  EXPECT_FALSE(Parsed("standing>1s").IsDue(moment));
  moment.standing_longest = 61;
  EXPECT_TRUE(Parsed("standing>60s").IsDue(moment));
  EXPECT_FALSE(Parsed("remaining<60s").IsDue(moment)) << "nobody can tell";
  moment.has_remaining = true;
  moment.remaining = 59;
  EXPECT_TRUE(Parsed("remaining<60s").IsDue(moment));
  EXPECT_TRUE(Parsed("remaining<1").NeedsTotal() && Parsed("remaining<1").NeedsRegion());
  EXPECT_FALSE(Parsed("late>11ms").IsDue(moment));
}

TEST(When, RefusesWhatItDoesNotKnow) {
  for (const char* text : {"", "balance", "balance<", "balance<x", "speed<1", "balance=1", "balance<1 for",
                           "balance<1 for 1h", "balance<-1", "balance<1 for 1s more"}) {
    When when;
    std::string error;
    EXPECT_FALSE(When::Parse(text, &when, &error)) << text;
    EXPECT_NE(error.find("balance<0.7 for 10s"), std::string::npos) << error;
  }
}

TEST(StartCommand, TellsTheCommandWhichJobItIs) {
  const std::filesystem::path folder = testing::TempDir(), told = folder / "told";
  std::filesystem::remove(told);
  setenv("EPK_MONITOR_JOB", "of the monitor that started this one", 1);
  const std::string there = folder.string() + "/part";
  ASSERT_TRUE(StartCommand("echo \"$EPK_MONITOR_JOB\" > " + there + " && mv " + there + " " + told.string(),
                           "/there/epik_solver.4711.unfinished"));
  unsetenv("EPK_MONITOR_JOB");
  for (int i = 0; i < 3000 && !std::filesystem::exists(told); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::string job;
  std::getline(std::ifstream(told), job);
  EXPECT_EQ(job, "/there/epik_solver.4711.unfinished");
}

}  // namespace
}  // namespace epik::monitor
