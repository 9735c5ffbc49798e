// SPDX-License-Identifier: BSD-3-Clause
#include "report/html/analysis.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "analysis/patterns/patterns.h"
#include "report/views/found.h"
#include "report/views/views.h"

namespace epik::report {

using nlohmann::ordered_json;

namespace {

constexpr size_t kMostRows = 200;  // of a table; the CSV file has all of them
// These tables have a row for each thread or segment; the page shows their sums.
constexpr std::string_view kLeftOut[] = {"waits", "causes", "critical"};

void AddView(const char* name, const Figures& figures, const ViewOptions& options, std::string* json) {
  ViewData data;
  std::string error, text;
  ViewOptions mine = options;
  mine.view = name;
  if (!MakeView(figures, mine, &data, &error)) return;
  std::erase_if(data.sheets, [](const Sheet& sheet) {
    return std::find(std::begin(kLeftOut), std::end(kLeftOut), sheet.key) != std::end(kLeftOut);
  });
  for (Sheet& sheet : data.sheets) sheet.rows.resize(std::min(sheet.rows.size(), kMostRows));
  WriteViewJson(data, AppendTo(&text));
  *json += "\"" + std::string(name) + "\": " + text + ", ";
}

// Replaces names by those for people.
void Label(std::vector<findings::Series>* all) {
  for (findings::Series& series : *all) {
    for (const patterns::PatternInfo* info : patterns::AllPatterns()) {
      if (series.pattern == info->name) series.pattern = info->label;
    }
  }
}

}  // namespace

std::string AnalysisForPage(const archive::Profile& profile, const findings::Findings& findings, bool oversubscribed) {
  const Figures figures(profile);
  ViewOptions options;
  if (findings.are_there) options.findings = &findings;
  std::string views;
  for (const char* name : {"waits", "causes", "critical", "instances"}) AddView(name, figures, options, &views);
  if (views.empty()) return "";
  findings::Distribution distribution = findings.distribution;
  Label(&distribution.over_time.patterns);
  for (findings::Iterations& loop : distribution.iterations) Label(&loop.patterns);
  distribution.spreads.clear();  // the table has the figures that people need
  ordered_json rest;
  Put(distribution, &rest);
  ordered_json& links = rest["slow_links"] = ordered_json::array();
  for (const SlowLink& link : SlowLinksThatMatter(findings, oversubscribed, /*unicode=*/true)) {
    links.push_back({{"seconds", link.lost_s}, {"text", link.text}});
  }
  return "{" + views + rest.dump(-1, ' ', false, ordered_json::error_handler_t::replace).substr(1);
}

}  // namespace epik::report
