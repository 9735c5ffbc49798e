// SPDX-License-Identifier: BSD-3-Clause
// Views are right at their limits: one row more than fits, two rows of one size, names with quotes, unknown ranks.
#include <gtest/gtest.h>

#include <limits>

#include "analysis/findings/findings.h"
#include "archive/files/manifest.h"
#include "report/views/communication.h"
#include "report/views/files.h"
#include "report/views/found.h"
#include "report/views/test_job.h"
#include "report/views/views.h"
#include "view/terminal.h"

namespace epik::report {
namespace {

const std::string kFiles =
    "rank,reads,writes,syncs,opens_closes,read_s,write_s,sync_s,open_close_s,bytes_read,bytes_written,file\n";

ViewData Make(const archive::Profile& profile, const char* name, ViewOptions options = {}) {
  options.view = name;
  options.terminal.width = 160;
  ViewData data;
  std::string error;
  EXPECT_TRUE(MakeView(Figures(profile), options, &data, &error)) << error;
  return data;
}

std::string Cell(const Sheet& sheet, size_t row, const std::string& key) {
  for (size_t c = 0; c < sheet.columns.size(); ++c) {
    if (sheet.columns[c].key != key) continue;
    const SheetCell& cell = sheet.rows.at(row).at(c);
    if (const auto* text = std::get_if<std::string>(&cell)) return *text;
    if (const auto* count = std::get_if<uint64_t>(&cell)) return std::to_string(*count);
    if (const auto* real = std::get_if<double>(&cell)) return std::to_string(*real);
    return "none";
  }
  return "no column";
}

TEST(Limits, NamesOfFilesMayHaveCommasAndQuotes) {
  std::vector<FileFigures> files;
  std::string error;
  ASSERT_TRUE(ParseFiles(kFiles +
                             "0,1,2,3,4,0.5,1,2,1,100,400,\"a,\"\"b\"\"\"\n1,1,0,0,0,0.5,0,0,0,0,0,\"a,\"\"b\"\"\"\n" +
                             "0,0,0,0,0,0,0,0,0,0,0,\"\"\n",
                         &files, &error))
      << error;
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].path, "a,\"b\"");
  EXPECT_EQ(files[0].ranks, 2u);
  EXPECT_EQ(files[0].calls, 11u);
  EXPECT_EQ(files[1].path, "");
  for (const char* line :
       {"0,1,2,3,4,0,0,0,0,0,0,\"a\"b\"\n", "0,1,2,3,4,0,0,0,0,0,0,\"\n", "0,1,2,3,4,0,0,0,0,0,0,\"a\n",
        "0,1,2,3,4,nan,0,0,0,0,0,\"a\"\n", "0,1,2,3,4,-1,0,0,0,0,0,\"a\"\n", "0,1,2,3,4,0,0,0,0,0,2e18,\"a\"\n",
        "0,1,2,3,4,0,0,0,0,0,0,\"a\"\"\n"}) {
    EXPECT_FALSE(ParseFiles(kFiles + line, &files, &error)) << line;
  }
}

// The time to write a file includes the time to open and close it. A file without bytes or without time has no rate.
TEST(Limits, RatesOfFilesAreThoseOfTheirTimes) {
  std::vector<FileFigures> files;
  std::string error;
  ASSERT_TRUE(ParseFiles(kFiles + "0,1,2,3,4,0,1,2,1,100,400,\"a\"\n0,0,0,0,0,0,0,0,0,0,0,\"b\"\n", &files, &error));
  archive::Profile profile = Job(1, 1);
  Add(&profile, "main", "compiler", "", {1});
  ViewOptions options;
  options.files = &files;
  const Sheet sheet = Make(profile, "io", options).sheets[0];
  EXPECT_EQ(Cell(sheet, 0, "written_bytes_per_s"), "100");
  EXPECT_EQ(Cell(sheet, 0, "read_bytes_per_s"), "none") << "100 bytes in no time";
  EXPECT_EQ(Cell(sheet, 1, "written_bytes_per_s"), "none");
}

TEST(Limits, TheLargestRankIsNone) {
  std::vector<Traffic> traffic;
  std::string error;
  EXPECT_FALSE(ParseCommunication("from,to,messages,bytes\n0,4294967295,1,1\n", &traffic, &error));
  EXPECT_TRUE(ParseCommunication("from,to,messages,bytes\n0,4294967294,1,1\n", &traffic, &error)) << error;
}

TEST(Limits, ShadesAreQuartersOfTheMost) {
  view::Terminal terminal;
  terminal.width = 20;
  terminal.unicode = false;
  const std::string text = DrawMatrix(
      {{0, 0, 1, 100}, {0, 1, 1, 75}, {0, 2, 1, 74}, {0, 3, 1, 50}, {0, 4, 1, 25}, {0, 5, 1, 24}}, 8, terminal);
  EXPECT_NE(text.find("      0 ##**+-.."), std::string::npos) << text;
}

TEST(Limits, OfFewLocationsMoreAreBusyThanIdle) {
  archive::Profile profile = Job(6, 1);
  Add(&profile, "work", "compiler", "", {1, 6, 3, 5, 2, 4});
  ViewOptions options;
  options.top = 3;
  const std::string text = Make(profile, "load", options).text;
  for (const char* shown : {" 0:0 ", " 1:0 ", " 3:0 "}) EXPECT_NE(text.find(shown), std::string::npos) << text;
  for (const char* hidden : {" 2:0 ", " 4:0 ", " 5:0 "}) EXPECT_EQ(text.find(hidden), std::string::npos) << text;
  EXPECT_NE(text.find("3 more, neither the busiest nor the idlest"), std::string::npos) << text;
}

TEST(Limits, RangesOfRanksHaveTheirEnds) {
  archive::Profile profile = Job(4, 2);
  Add(&profile, "work", "compiler", "", {1, 1, 1, 1, 1, 1, 1, 1});
  ViewOptions options;
  options.ranks = {{1, 2}};
  options.threads = {{1, 1}};
  const Sheet sheet = Make(profile, "load", options).sheets[0];
  ASSERT_EQ(sheet.rows.size(), 2u);
  EXPECT_EQ(Cell(sheet, 0, "rank") + Cell(sheet, 1, "rank"), "12");
  EXPECT_EQ(Cell(sheet, 1, "thread"), "1");
  options.view = "load";
  options.ranks = {{4, 9}};
  ViewData data;
  std::string error;
  EXPECT_FALSE(MakeView(Figures(profile), options, &data, &error));
  EXPECT_NE(error.find("it has ranks 0 to 3, threads 0 to 1"), std::string::npos) << error;
}

TEST(Limits, FourTopologiesAreDescribed) {
  for (const size_t count : {4u, 5u}) {
    archive::Profile profile = Job(2, 1);
    Add(&profile, "MPI_Barrier", "mpi", "barrier", {1, 1});
    for (size_t t = 0; t < count; ++t) {
      profile.topologies.push_back({"grid " + std::to_string(t), {{"", 2, false}}, {0, 1}, {0, 1}});
    }
    const std::string text = Make(profile, "mpi").text;
    EXPECT_NE(text.find("grid 3: 2, 2 processes"), std::string::npos) << text;
    EXPECT_EQ(text.find("and 1 more") != std::string::npos, count == 5) << text;
  }
}

// A rank that only receives tells nothing about messages that were lost.
TEST(Limits, OnlySendersKnowOfLostMessages) {
  for (const uint64_t sent : {0u, 1u}) {
    archive::Profile profile = Job(1, 1);
    Add(&profile, "MPI_Recv", "mpi", "receive", {1});
    const uint32_t out = profile.AddMetric({"msgs_sent", "", "occ", "", archive::Type::kUint64});
    const uint32_t in = profile.AddMetric({"msgs_received", "", "occ", "", archive::Type::kUint64});
    profile.values[out].Set(0, 0, sent);
    profile.values[in].Set(0, 0, uint64_t{3});
    const std::string text = Make(profile, "mpi").text;
    EXPECT_EQ(text.find("sent and received differ") != std::string::npos, sent != 0) << text;
    EXPECT_EQ(text.find("in calls that were not measured") != std::string::npos, sent != 0) << text;
  }
}

TEST(Limits, ShortWaitsBesideALongOneHaveNoSentence) {
  archive::Profile profile = Job(2, 1);
  Add(&profile, "program", "measurement", "artificial", {1, 1});
  findings::Findings found;
  found.instances = {{"kind", "program > main > MPI_Recv", {0, 0}, {-1, -1}, 1, 2, "", 1},
                     {"kind", "main > MPI_Wait", {1, 0}, {0, 0}, 3, 3.02, "", 0.02},
                     {"kind", "main > MPI_Send", {1, 0}, {0, 0}, 4, 4.005, "", 0.005}};
  view::Terminal terminal;
  terminal.width = 200;
  const std::string text = InstancesInWords(Figures(profile), found, 5, "worst", terminal);
  EXPECT_NE(text.find("rank 0 waits for somebody (kind) in main > MPI_Recv"), std::string::npos) << text;
  EXPECT_NE(text.find("MPI_Wait"), std::string::npos) << text;
  EXPECT_EQ(text.find("MPI_Send"), std::string::npos) << text;
}

TEST(Limits, ThreeOtherSendersOfASlowLinkAreNamed) {
  findings::Findings found;
  found.critical.end_s = 1;
  found.links.emplace_back();
  findings::Link& link = found.links.back();
  link.from = 1;
  link.to = 2;
  link.seconds = link.lost_s = 0.5;
  link.or_from = {3, 4, 5};
  EXPECT_EQ(SlowLinksThatMatter(found, false, true)[0].text.find("rank 1, 3, 4 or 5 to rank 2: "), 0u);
  link.or_from.push_back(6);
  EXPECT_EQ(SlowLinksThatMatter(found, false, true)[0].text.find("rank 1 or one of 4 others to rank 2: "), 0u);
}

TEST(Limits, AsManySlowLinksAsAskedFor) {
  findings::Findings found;
  found.critical.end_s = 1;
  for (const int to : {7, 8}) {
    findings::Link& link = found.links.emplace_back();
    link.from = 1;
    link.to = to;
    link.seconds = link.lost_s = 0.5;
  }
  const std::string text = SlowLinksInWords(found, false, 1, "slow link", view::Terminal{.width = 200});
  EXPECT_NE(text.find("to rank 7"), std::string::npos) << text;
  EXPECT_EQ(text.find("to rank 8"), std::string::npos) << text;
}

TEST(Limits, AStretchOfTheCriticalPathHasOneThread) {
  archive::Profile profile = Job(1, 2);
  Add(&profile, "main", "compiler", "", {1, 1});
  findings::Findings found;
  found.critical.end_s = 3;
  found.critical.segments = {{0, 1, {0, 0}, "main"}, {1, 1.5, {0, 1}, "main"}, {1.5, 3, {0, 1}, "main > f"}};
  found.critical.places = {{2, {0, 1}, "main > f"}};
  ViewOptions options;
  options.findings = &found;
  const ViewData view = Make(profile, "critical", options);
  ASSERT_EQ(view.sheets[2].rows.size(), 2u);
  EXPECT_EQ(Cell(view.sheets[2], 1, "callpath"), "main > f");
  ASSERT_EQ(view.sheets[1].rows.size(), 1u) << "segments tell only where there are no exact times";
}

TEST(Limits, TheFirstOfTheBusiestIsNamed) {
  archive::Profile profile = Job(3, 1);
  Add(&profile, "main", "compiler", "", {1, 1, 1});
  const uint32_t faults = profile.AddMetric({"faults", "", "occ", "page faults", archive::Type::kUint64});
  for (uint32_t l = 0; l < 3; ++l) profile.values[faults].Set(0, l, uint64_t{l == 0 ? 1u : 5u});
  const Sheet sheet = Make(profile, "counters").sheets[0];
  EXPECT_EQ(Cell(sheet, 0, "busiest"), "1:0");
}

}  // namespace
}  // namespace epik::report
