// SPDX-License-Identifier: BSD-3-Clause
// Files use CUBE's words where EPIK has others: names of metrics, and the longest visit of a call path without visits.
#include <gtest/gtest.h>

#include <bit>
#include <cfloat>

#include "archive/cubex/reader.h"
#include "archive/cubex/test_profiles.h"
#include "archive/cubex/writer.h"

namespace epik::archive {
namespace {

TEST(FormulaName, HasNothingButLettersDigitsAndUnderscores) {
  EXPECT_EQ(FormulaName("time"), "time");
  EXPECT_EQ(FormulaName("perf::PAGE-FAULTS"), "perf_PAGE_FAULTS");
  EXPECT_EQ(FormulaName("a (user)"), "a__user_");
  EXPECT_EQ(FormulaName("9lives"), "_9lives");
  EXPECT_EQ(FormulaName(""), "_");
}

TEST(FormulaName, ComesBackAsTheRealNameInEpik) {
  Profile profile = ExampleProfile();
  const auto add = [&profile](const char* name) {
    const uint32_t m = profile.AddMetric({name, name, "#", "", Type::kUint64, Along::kExclusive, kNone});
    profile.values[m].Set(1, 0, uint64_t{m});
  };
  add("perf::PAGE-FAULTS");
  add("a-b");
  add("a.b");
  std::string error;
  ASSERT_TRUE(WriteCubex(TestPath("formula.cubex"), profile, {}, &error)) << error;
  const std::string anchor = GetMember(ReadWhole(TestPath("formula.cubex")), "anchor.xml");
  EXPECT_NE(anchor.find("<disp_name>perf::PAGE-FAULTS</disp_name><uniq_name>perf_PAGE_FAULTS</uniq_name>"),
            anchor.npos);
  EXPECT_NE(anchor.find("<disp_name>a-b</disp_name><uniq_name>a_b</uniq_name>"), anchor.npos);
  EXPECT_NE(anchor.find("<disp_name>a.b</disp_name><uniq_name>a_b_2</uniq_name>"), anchor.npos);
  Profile back;
  ASSERT_TRUE(ReadCubex(TestPath("formula.cubex"), &back, &error)) << error;
  EXPECT_NE(back.FindMetric("perf::PAGE-FAULTS"), kNone);
  EXPECT_NE(back.FindMetric("a-b"), kNone);
  EXPECT_NE(back.FindMetric("a_b_2"), kNone);
  ASSERT_TRUE(WriteCubex(TestPath("again.cubex"), back, {}, &error)) << error;  // the names are still different
}

TEST(LongestVisit, IsZeroInFilesAndNoValueInEpik) {
  Profile profile = ExampleProfile();
  const uint32_t m = profile.AddMetric({"max_time", "Maximum", "sec", "", Type::kMax, Along::kExclusive, kNone});
  profile.values[m].Set(1, 2, 0.5);
  std::string error;
  ASSERT_TRUE(WriteCubex(TestPath("longest.cubex"), profile, {}, &error)) << error;
  const std::string data = GetMember(ReadWhole(TestPath("longest.cubex")), std::to_string(m) + ".data");
  const double half = 0.5;
  ASSERT_EQ(data.size(), 10 + 4 * sizeof half);
  EXPECT_EQ(data.substr(10), std::string(16, '\0') + std::string(reinterpret_cast<const char*>(&half), sizeof half) +
                                 std::string(8, '\0'));
  Profile back;
  ASSERT_TRUE(ReadCubex(TestPath("longest.cubex"), &back, &error)) << error;
  EXPECT_EQ(back.values[m].Real(1, 0), -DBL_MAX);
  EXPECT_EQ(back.values[m].Real(1, 2), 0.5);
}

}  // namespace
}  // namespace epik::archive
