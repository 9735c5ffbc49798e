// SPDX-License-Identifier: BSD-3-Clause
#include "report/history/show.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "view/text.h"

namespace epik::report {
namespace {

analysis::History Example(size_t runs) {
  analysis::Series series{"solver <b>", "node*, Some CPU", 4, 2, {}, {}};
  analysis::Figure wall{"wall time", analysis::Figure::Unit::kSeconds, true, {}, {}, {}};
  analysis::Figure balance{"load balance", analysis::Figure::Unit::kShare, false, {}, {}, {}};
  for (size_t r = 0; r < runs; ++r) {
    series.runs.push_back({"ci/epik_" + std::to_string(r), "2026-11-22T10:00:00+0000",
                           "abcdef0123456789abcdef0123456789abcdef01", static_cast<int64_t>(r)});
    wall.values.push_back((r < 6 ? 10 : 12) + 0.01 * static_cast<double>(r % 3));
    balance.values.push_back(r == 0 ? NAN : 0.9);
  }
  for (analysis::Figure* figure : {&wall, &balance}) {
    std::vector<double> known;
    for (const double value : figure->values) {
      if (std::isfinite(value)) known.push_back(value);
    }
    figure->trend = analysis::TrendOf(known);
    figure->jumps = analysis::JumpsOf(known);
  }
  series.figures = {wall, balance};
  return {{series}, {"x is left out: it is no run"}};
}

TEST(History, TextNamesTheRunWhereTheLevelChanged) {
  std::string text;
  view::Terminal terminal;
  ShowHistoryText(Example(12), terminal, AppendTo(&text));
  EXPECT_NE(text.find("since run 7 (abcdef01, 2026-11-22 10:00): 10.0 s to 12.0 s, +20.0 %"), std::string::npos)
      << text;
  EXPECT_NE(text.find("4 ranks × 2 threads"), std::string::npos) << text;
  EXPECT_NE(text.find("x is left out"), std::string::npos);
  terminal.unicode = false;
  std::string plain;
  ShowHistoryText(Example(12), terminal, AppendTo(&plain));
  EXPECT_NE(plain.find("4 ranks x 2 threads"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("×"), std::string::npos) << plain;
}

TEST(History, ANarrowScreenShortensTheNameOfTheMachine) {
  analysis::History history = Example(2);
  history.series[0].host_class = "node*, Intel(R) Xeon(R) Platinum 8481C Processor @ 2.70 GHz";
  view::Terminal terminal;
  terminal.width = 60;
  std::string text;
  ShowHistoryText(history, terminal, AppendTo(&text));
  const std::string heading = text.substr(0, text.find('\n'));
  EXPECT_LE(view::Width(heading), terminal.width) << heading;
  EXPECT_NE(heading.find("2 runs"), std::string::npos) << heading;
}

TEST(History, WithoutRevisionsADayIsEnough) {
  analysis::History history = Example(12);
  for (analysis::HistoryRun& run : history.series[0].runs) run.revision.clear();
  std::string text, page;
  ShowHistoryText(history, {}, AppendTo(&text));
  EXPECT_NE(text.find("since run 7 (2026-11-22 10:00): 10.0 s to 12.0 s"), std::string::npos) << text;
  ShowHistoryHtml(history, AppendTo(&page));
  EXPECT_NE(page.find("since run 7, 2026-11-22 10:00<"), std::string::npos) << page;
}

TEST(History, OneRunHasNoChange) {
  std::string text, page;
  ShowHistoryText(Example(1), {}, AppendTo(&text));
  EXPECT_EQ(text.find(" %"), std::string::npos) << text;
  ShowHistoryHtml(Example(1), AppendTo(&page));
  EXPECT_NE(page.find("1 run</p>"), std::string::npos) << page;
  EXPECT_NE(page.find("<figcaption>10.0 s</figcaption>"), std::string::npos) << page;
}

TEST(History, NoLineIsLongerThanTheScreen) {
  for (const size_t width : {60u, 79u}) {
    std::string text;
    view::Terminal terminal;
    terminal.width = width;
    ShowHistoryText(Example(12), terminal, AppendTo(&text));
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(view::Width(line), width) << line;
    EXPECT_NE(text.find("wall time"), std::string::npos) << text;
  }
}

// Runs of one program have names that differ at their ends.
TEST(History, ArchivesAreToldApartOnANarrowScreen) {
  analysis::History history = Example(12);
  for (size_t r = 0; r < 12; ++r) history.series[0].runs[r].path = "ci/epik_solver_4x2_sum." + std::to_string(r);
  for (const size_t width : {60u, 80u, 100u}) {
    std::string text;
    view::Terminal terminal;
    terminal.width = width;
    ShowHistoryText(history, terminal, AppendTo(&text));
    for (const char* name : {"epik_solver_4x2_sum.1\n", "epik_solver_4x2_sum.11\n"}) {
      EXPECT_NE(text.find(name), std::string::npos) << text;
    }
  }
}

// There, time that passes is more than CPU time, which looks wrong where nobody says why.
TEST(History, OversubscribedRunsHaveASentence) {
  analysis::History history = Example(2);
  std::string text;
  ShowHistoryText(history, {}, AppendTo(&text));
  EXPECT_EQ(text.find("oversubscribed"), std::string::npos) << text;
  history.series[0].is_oversubscribed = true;
  std::string page;
  ShowHistoryText(history, {}, AppendTo(&text));
  ShowHistoryHtml(history, AppendTo(&page));
  EXPECT_NE(text.find("on an oversubscribed machine"), std::string::npos) << text;
  EXPECT_NE(page.find("on an oversubscribed machine"), std::string::npos) << page;
}

TEST(History, OnlyTheLatestRunsAreListed) {
  std::string text;
  ShowHistoryText(Example(50), {}, AppendTo(&text));
  EXPECT_NE(text.find("and 30 earlier runs"), std::string::npos) << text;
  text.clear();
  ShowHistoryText(Example(1), {}, AppendTo(&text));
  EXPECT_NE(text.find("1 run\n"), std::string::npos) << text;
}

TEST(History, JsonHasEverything) {
  std::string text;
  ShowHistoryJson(Example(12), AppendTo(&text));
  const nlohmann::json json = nlohmann::json::parse(text);
  const nlohmann::json& series = json["series"][0];
  EXPECT_EQ(series["runs"].size(), 12u);
  EXPECT_EQ(series["figures"][0]["values"][6], 12.0);
  EXPECT_EQ(series["figures"][0]["jumps"][0]["run"], 6);
  EXPECT_TRUE(series["figures"][1]["values"][0].is_null());
}

TEST(History, HtmlIsOnePageAndNamesAreNoMarkup) {
  std::string text;
  ShowHistoryHtml(Example(12), AppendTo(&text));
  EXPECT_EQ(text.find("<b>"), std::string::npos);
  EXPECT_NE(text.find("solver &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(text.find("http"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_NE(text.find("class=\"jump\""), std::string::npos);
}

}  // namespace
}  // namespace epik::report
