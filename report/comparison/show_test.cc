// SPDX-License-Identifier: BSD-3-Clause
#include "report/comparison/show.h"

#include <nlohmann/json.hpp>

#include "analysis/algebra/algebra_samples.h"

namespace epik::report::comparison {
namespace {

using algebra::FromProfile;
using algebra::Operand;
using archive::ExampleProfile;
using archive::Profile;

// ExampleProfile, where solve has another exclusive time at the first location.
Profile WithSolve(double more) {
  Profile profile = ExampleProfile();
  for (const uint32_t p : {0u, 1u}) profile.values[0].Set(p, 0, profile.values[0].Real(p, 0) + more);
  return profile;
}

Runs MakeRuns(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<Operand> sides[2];
  for (const double more : before) sides[0].push_back(FromProfile(WithSolve(more)));
  for (const double more : after) sides[1].push_back(FromProfile(WithSolve(more)));
  return {sides[0], sides[1]};
}

Comparison CompareTime(Runs* runs) {
  Comparison comparison;
  std::string error;
  EXPECT_TRUE(Compare(runs, "time", 0.1, false, &comparison, &error)) << error;
  return comparison;
}

algebra::Condition Parsed(const std::string& text) {
  algebra::Condition condition;
  std::string error;
  EXPECT_TRUE(algebra::ParseCondition(text, &condition, &error)) << error;
  return condition;
}

Outcome Evaluated(const std::string& text, Runs runs) {
  Outcome outcome;
  std::string error;
  EXPECT_TRUE(Evaluate(Parsed(text), &runs, &outcome, &error)) << error;
  return outcome;
}

View MakeView() {
  View view;
  view.before = {"a"};
  view.after = {"b"};
  return view;
}

TEST(Show, WorstFirst) {
  Profile before = ExampleProfile(), after = WithSolve(10);
  for (const uint32_t p : {0u, 3u}) after.values[0].Set(p, 1, after.values[0].Real(p, 1) + 20);
  for (const uint32_t p : {0u, 1u, 2u}) after.values[0].Set(p, 2, after.values[0].Real(p, 2) - 5);
  Runs runs({FromProfile(before)}, {FromProfile(after)});
  const Comparison comparison = CompareTime(&runs);
  const internal::Listed listed = internal::Choose(comparison, MakeView());
  EXPECT_EQ(listed.more.size(), 2u);
  EXPECT_EQ(listed.less.size(), 1u);
  std::string text;
  ShowText(runs, comparison, {}, MakeView(), report::AppendTo(&text));
  const size_t io = text.find("main > io"), solve = text.find("main > solve\n"), send = text.find("MPI_Send");
  ASSERT_NE(send, std::string::npos) << text;
  EXPECT_LT(io, solve) << text;
  EXPECT_LT(solve, send) << text;
  EXPECT_LT(text.find("slower"), text.find("faster"));
}

TEST(Show, JsonIsWholeAndExact) {
  Runs runs = MakeRuns({0, 1}, {10, 11});
  const Comparison comparison = CompareTime(&runs);
  const Outcome outcome = Evaluated("time:solve > 5%", MakeRuns({0}, {10}));
  std::string text;
  ShowJson(runs, comparison, {outcome}, MakeView(), report::AppendTo(&text));
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["format"], "epik-diff");
  EXPECT_EQ(json["total"]["difference"], 10);
  ASSERT_EQ(json["call_paths"].size(), 4u);
  EXPECT_EQ(json["call_paths"][1]["path"], "main > solve");
  EXPECT_EQ(json["call_paths"][1]["exclusive"]["before"]["mean"], 128.5);
  EXPECT_EQ(json["conditions"][0]["fired"], true);
}

TEST(Show, MarkdownRowsHaveTheirColumns) {
  Runs runs = MakeRuns({0}, {10});
  std::string text;
  ShowMarkdown(runs, CompareTime(&runs), {}, MakeView(), report::AppendTo(&text));
  EXPECT_NE(text.find("| 128 s | 138 s | +10.0 s | +7.8 % | 100 | `main > solve` |\n"), std::string::npos) << text;
}

TEST(Show, MarkdownHasNoHtmlOfAMetric) {
  Runs runs = MakeRuns({0}, {10});
  Comparison comparison = CompareTime(&runs);
  comparison.metric = "<img src=x onerror=alert(1)>";
  std::string text;
  ShowMarkdown(runs, comparison, {}, MakeView(), report::AppendTo(&text));
  EXPECT_NE(text.find("`<img src=x onerror=alert(1)>`: "), std::string::npos) << text;
  EXPECT_EQ(text.find("\n<img"), std::string::npos) << text;
  EXPECT_EQ(text.find(" <img"), std::string::npos) << text;
}

// A table whose names are long leaves out other columns first.
TEST(Show, TheProbabilityIsInAllTables) {
  std::vector<Operand> before, after;
  for (const double more : {0, 1, 2}) {
    Profile one = WithSolve(more), other = WithSolve(more + 50);
    for (Profile* profile : {&one, &other}) profile->regions[profile->call_paths[3].region].name = std::string(60, 'n');
    for (const uint32_t p : {0u, 3u}) one.values[0].Set(p, 1, one.values[0].Real(p, 1) + 40 + more);
    before.push_back(FromProfile(one));
    after.push_back(FromProfile(other));
  }
  Runs runs(before, after);
  for (const size_t width : {50, 64, 80, 120}) {
    View view = MakeView();
    view.terminal.width = width;
    std::string text;
    ShowText(runs, CompareTime(&runs), {}, view, report::AppendTo(&text));
    size_t tables = 0, columns = 0;
    for (const char* title : {"\nslower\n", "\nfaster\n"}) {
      const size_t at = text.find(title);
      if (at == std::string::npos) continue;
      ++tables;
      const std::string head = text.substr(at + 8, text.find('\n', at + 8) - at - 8);
      columns += head.find(" p ") != std::string::npos ? 1 : 0;
    }
    EXPECT_EQ(tables, 2u) << text;
    EXPECT_EQ(columns, 2u) << text;
  }
}

TEST(Show, WallTimeFirstAndProbabilitiesBesideTheStar) {
  Runs runs = MakeRuns({0, 1, 2}, {50, 51, 52});
  runs.SetWalls({100, 101, 102, 150, 151, 152});
  std::string text;
  ShowText(runs, CompareTime(&runs), {}, MakeView(), report::AppendTo(&text));
  EXPECT_LT(text.find("\nwall    101 s ± 1.00 s → 151 s ± 1.00 s, +50.0 s (+49.5 %), p <0.001\n"),
            text.find("\ntime    "))
      << text;
  EXPECT_NE(text.find("* +50.0 s  +38.8 %  <0.001"), std::string::npos) << text;
  EXPECT_EQ(text.find("warning"), std::string::npos) << text;
  text.clear();
  ShowMarkdown(runs, CompareTime(&runs), {}, MakeView(), report::AppendTo(&text));
  EXPECT_TRUE(text.starts_with("### wall: 101 s → 151 s, +50.0 s (+49.5 %), p <0.001\n")) << text;
  text.clear();
  ShowJson(runs, CompareTime(&runs), {}, MakeView(), report::AppendTo(&text));
  const nlohmann::json json = nlohmann::json::parse(text);
  EXPECT_EQ(json["wall"]["difference"], 50);
  EXPECT_LT(json["wall"]["probability"], 0.001);
  EXPECT_EQ(json["same_size"], true);
}

TEST(Show, RunsOfAnotherSizeAreNotComparedWithoutAWarning) {
  Profile fewer = ExampleProfile();
  const uint32_t rank = fewer.locations.back().process;
  fewer.locations.pop_back();
  if (fewer.locations.back().process != rank) fewer.processes.pop_back();
  for (archive::Values& values : fewer.values) {
    values = archive::Values(values.type(), fewer.call_paths.size(), fewer.locations.size());
  }
  const Runs runs({FromProfile(ExampleProfile())}, {FromProfile(fewer)});
  Comparison comparison;
  comparison.metric = "time";
  comparison.unit = "sec";
  for (const auto show : {ShowText, ShowMarkdown}) {
    std::string text;
    show(runs, comparison, {}, MakeView(), report::AppendTo(&text));
    EXPECT_NE(text.find("2 ranks × 2 threads before"), std::string::npos) << text;
  }
}

TEST(Show, ProbabilityText) {
  EXPECT_EQ(internal::ProbabilityText(0.0), "<0.001");
  EXPECT_EQ(internal::ProbabilityText(0.01234), "0.012");
  EXPECT_EQ(internal::ProbabilityText(1), "1.000");
}

}  // namespace
}  // namespace epik::report::comparison
