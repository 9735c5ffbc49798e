// SPDX-License-Identifier: BSD-3-Clause
#include "config/trace_selection.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

TraceSelection Parsed(std::string_view text) {
  TraceSelection selection;
  EXPECT_TRUE(ParseTrace(text, &selection)) << text;
  return selection;
}

std::string Canonical(std::string_view text) { return FormatTrace(Parsed(text)); }

TEST(Trace, OffAndAllInEverySpelling) {
  for (const char* text : {"off", "0", "OFF", "no", "False", " off "}) EXPECT_EQ(Canonical(text), "off") << text;
  for (const char* text : {"all", "1", "All", "yes", "TRUE", "on"}) EXPECT_EQ(Canonical(text), "all") << text;
}

TEST(Trace, EachSelection) {
  EXPECT_TRUE(Parsed("comm").comm);
  EXPECT_TRUE(Parsed("msgs").msgs);
  EXPECT_EQ(Parsed("slow:10ms").slow_ns, 10'000'000);
  EXPECT_EQ(Parsed("visits:3").visits, 3u);
  EXPECT_EQ(Parsed("window:f:10-20").windows, (std::vector<TraceSelection::Window>{{"f", 10, 20}}));
}

TEST(Trace, RanksKeepTheirOwnCommas) {
  const TraceSelection selection = Parsed("ranks:0,8-15,every:100,comm,slow:1s");
  EXPECT_EQ(selection.ranks.ranges, (std::vector<RankSet::Range>{{0, 0}, {8, 15}}));
  EXPECT_EQ(selection.ranks.every, 100);
  EXPECT_TRUE(selection.comm);
  EXPECT_EQ(selection.slow_ns, 1'000'000'000);
  EXPECT_EQ(Parsed("comm,ranks:0,1").ranks.ranges.size(), 2u);  // this 1 is a rank, not "all"
  EXPECT_FALSE(Parsed("comm,ranks:0,1").all);
}

TEST(Trace, WindowsOfRegionsWithColonsAndCommas) {
  const auto windows = Parsed("window:a::f(int, long):1-2, window:std::map<int,int>::at:3-3,comm").windows;
  ASSERT_EQ(windows.size(), 2u);
  EXPECT_EQ(windows[0], (TraceSelection::Window{"a::f(int, long)", 1, 2}));
  EXPECT_EQ(windows[1], (TraceSelection::Window{"std::map<int,int>::at", 3, 3}));
}

TEST(Trace, IsWrittenInOneOrder) {
  EXPECT_EQ(Canonical("ranks:3,window:f:1-2,visits:9,msgs,slow:1500us,comm"),
            "comm,slow:1500us,msgs,visits:9,window:f:1-2,ranks:3");
  EXPECT_EQ(Canonical("ranks:0,all"), "all,ranks:0");
}

TEST(Trace, Refused) {
  for (const char* text : {"",
                           ",",
                           "perhaps",
                           "comm,",
                           ",comm",
                           "comm,,msgs",
                           "comm,off",
                           "off,comm",
                           "0,1",
                           "2",
                           "-1",
                           "slow",
                           "slow:",
                           "slow:0",
                           "slow:10",
                           "slow:-1ms",
                           "slow:1ms,slow:2ms",
                           "visits:",
                           "visits:0",
                           "visits:-1",
                           "visits:x",
                           "visits:1,visits:2",
                           "ranks:",
                           "ranks:x",
                           "ranks:-1",
                           "ranks:5-3",
                           "ranks:1,2-",
                           "ranks:all",
                           "ranks:every:0",
                           "ranks:every:-2",
                           "ranks:0,comm,ranks:1",
                           "window:",
                           "window:f",
                           "window:f:",
                           "window:f:5",
                           "window:f:5-",
                           "window:f:9-5",
                           "window:f:0-5",
                           "window::1-2",
                           "window:f:1-2x",
                           "comm msgs"}) {
    TraceSelection selection;
    selection.visits = 77;
    EXPECT_FALSE(ParseTrace(text, &selection)) << text;
    EXPECT_EQ(selection.visits, 77u) << "must stay as it was";
  }
}

TEST(Measure, WindowsAndSpans) {
  MeasureSelection selection;
  ASSERT_TRUE(ParseMeasure(" ALL ", &selection));
  EXPECT_TRUE(selection.always());
  ASSERT_TRUE(ParseMeasure("time:2s-10s, window:a::f(int, long):1-2,time:1min-,window:g:7-7", &selection));
  EXPECT_EQ(selection.windows, (std::vector<TraceSelection::Window>{{"a::f(int, long)", 1, 2}, {"g", 7, 7}}));
  EXPECT_EQ(selection.spans[0], (MeasureSelection::Span{2'000'000'000, 10'000'000'000}));
  EXPECT_EQ(FormatMeasure(selection), "window:a::f(int, long):1-2,window:g:7-7,time:2s-10s,time:1min-");
  MeasureSelection again;
  ASSERT_TRUE(ParseMeasure(FormatMeasure(selection), &again));
  EXPECT_EQ(again, selection);
  for (const char* text : {"", ",", "off", "all,all", "window:f", "window:f:5", "time:", "time:2s", "time:3s-2s",
                           "time:2s-2s", "time:-2s", "time:1-2", "time:1s-2s,", "f:1-2", "comm", "ranks:1"}) {
    EXPECT_FALSE(ParseMeasure(text, &again)) << text;
    EXPECT_EQ(again, selection) << text;
  }
}

TEST(Ranks, AllOrSome) {
  RankSet ranks;
  ASSERT_TRUE(ParseRanks("ALL", &ranks));
  EXPECT_TRUE(ranks.all);
  ASSERT_TRUE(ParseRanks(" 0, 8-15 ,every:100", &ranks));
  EXPECT_EQ(FormatRanks(ranks), "0,8-15,every:100");
  for (const int rank : {0, 8, 15, 100, 200}) EXPECT_TRUE(ranks.Contains(rank)) << rank;
  for (const int rank : {1, 7, 16, 99, 101}) EXPECT_FALSE(ranks.Contains(rank)) << rank;
  ASSERT_TRUE(ParseRanks("every:2", &ranks));
  EXPECT_EQ(FormatRanks(ranks), "every:2");
  for (const char* text : {"", ",", "1,", "a", "-1", "3-1", "1,,2", "every:", "every:2,every:3", "all,1", "1 2"}) {
    EXPECT_FALSE(ParseRanks(text, &ranks)) << text;
  }
}

}  // namespace
}  // namespace epik::config
