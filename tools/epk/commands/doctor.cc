// SPDX-License-Identifier: BSD-3-Clause
// epk doctor: checks which parts of EPIK are installed and work here, and suggests remedies for the others.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/loader.h"
#include "config/settings.h"
#include "tools/epk/command.h"
#include "tools/epk/doctor/check.h"
#include "tools/epk/doctor/metrics.h"
#include "tools/epk/version.h"
#include "view/number.h"
#include "view/table.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using doctor::Check;
using doctor::Finding;
using doctor::Verdict;

constexpr char kDoctorManual[] = R"(
DESCRIPTION
  Looks at everything a measurement stands on: EPIK's own libraries, the clock, compilers, MPI, OpenMP, hardware
  counters, and the folders that archives and arenas are written to. Each line has a verdict:

    ok     works
    -      not here; nothing is lost unless you want just that
    warn   works, but worse than it could
    bad    EPIK cannot measure like this

  The text below a line that is not `ok` says what to do. Nothing is changed; the folders are tried with a small file
  that is removed again.

  With --metrics it lists the counters that EPK_METRICS may name, by source. It says which work here, and for each of
  the others why not and what would help. It also measures how long reading them takes: each enter and each exit of a
  function will take that time. Plug-ins of EPK_METRIC_PLUGINS are among them.

EXAMPLES
    epk doctor
    epk doctor --metrics
    EPK_LDIR=/dev/shm epk doctor
    epk doctor --json | jq '.checks[] | select(.verdict != "ok")'

EXIT STATUS
    0  nothing is bad
    1  something is
    2  wrong usage

SEE ALSO
  epk(1)
)";

struct Seen {
  const Check* check;
  Finding finding;
};

std::vector<Seen> LookAtAll() {
  std::vector<Seen> all;
  for (const Check& check : doctor::Checks()) all.push_back({&check, check.look(check.argument)});
  return all;
}

long CountOf(const std::vector<Seen>& all, Verdict verdict) {
  return std::count_if(all.begin(), all.end(), [verdict](const Seen& each) { return each.finding.verdict == verdict; });
}

Verdict Worst(const std::vector<Seen>& all) {
  for (const Verdict verdict : {Verdict::kBad, Verdict::kWarn}) {
    if (CountOf(all, verdict) > 0) return verdict;
  }
  return Verdict::kOk;
}

view::Style StyleOf(Verdict verdict) {
  switch (verdict) {
    case Verdict::kOk: return view::Style::kGood;
    case Verdict::kNone: return view::Style::kFaint;
    case Verdict::kWarn: return view::Style::kWarn;
    case Verdict::kBad: return view::Style::kBad;
  }
  return view::Style::kPlain;
}

std::string Text(const std::vector<Seen>& all, const view::Terminal& terminal) {
  view::Table table({{""}, {""}, {"", view::Align::kLeft, true, view::Cut::kMiddle}}, "  ");
  std::string group;
  for (const Seen& each : all) {
    if (group != each.check->group) {
      if (!group.empty()) table.AddHeading("");
      group = each.check->group;
      table.AddHeading(group);
    }
    const Verdict verdict = each.finding.verdict;
    const view::Style plain = verdict == Verdict::kNone ? view::Style::kFaint : view::Style::kPlain;
    table.AddRow({{VerdictName(verdict), StyleOf(verdict)}, {each.check->name, plain}, {each.finding.value, plain}});
    if (!each.finding.remedy.empty()) table.AddNote(2, {each.finding.remedy, plain});
  }
  return table.Render(terminal);
}

std::string Summary(const std::vector<Seen>& all, const view::Terminal& terminal) {
  const long bad = CountOf(all, Verdict::kBad), warn = CountOf(all, Verdict::kWarn);
  const std::string warnings = warn == 0 ? "" : std::to_string(warn) + (warn == 1 ? " warning" : " warnings");
  const Verdict worst = Worst(all);
  std::string text = "EPIK can measure here";
  if (worst == Verdict::kWarn) text += "; " + warnings;
  if (worst == Verdict::kBad) {
    text = "EPIK cannot measure here: " + std::to_string(bad) + " bad" + (warn == 0 ? "" : ", " + warnings);
  }
  return terminal.Paint(StyleOf(worst), text) + "\n";
}

nlohmann::ordered_json Json(const std::vector<Seen>& all) {
  nlohmann::ordered_json checks = nlohmann::ordered_json::array();
  for (const Seen& each : all) {
    const bool none = each.finding.verdict == Verdict::kNone;
    nlohmann::ordered_json row = {
        {"id", each.check->id},        {"group", each.check->group},
        {"name", each.check->name},    {"verdict", none ? "none" : VerdictName(each.finding.verdict)},
        {"value", each.finding.value}, {"remedy", each.finding.remedy}};
    for (const auto& [name, number] : each.finding.numbers) row[name] = std::isfinite(number) ? number : 0;
    checks.push_back(row);
  }
  return {{"epik", kVersion}, {"verdict", VerdictName(Worst(all))}, {"checks", checks}};
}

std::string MetricsText(const std::vector<doctor::SourceFinding>& sources, const view::Terminal& terminal) {
  view::Table table({{""}, {""}, {""}, {"", view::Align::kLeft, true, view::Cut::kEnd}}, "  ");
  for (const doctor::SourceFinding& source : sources) {
    if (!table.empty()) table.AddHeading("");
    std::string cost;
    if (source.all_ns > 0)
      cost = "; a reading takes " + view::Seconds(source.one_ns * 1e-9) + ", of all " +
             view::Seconds(source.all_ns * 1e-9);
    table.AddHeading(source.name + ": " + source.text + cost);
    for (const doctor::CounterFinding& counter : source.counters) {
      const bool there = counter.missing.empty();
      const Verdict verdict = there ? Verdict::kOk : Verdict::kNone;
      const view::Style style = there ? view::Style::kPlain : view::Style::kFaint;
      table.AddRow({{VerdictName(verdict), StyleOf(verdict)},
                    {counter.name, style},
                    {counter.unit, style},
                    {there ? counter.text : counter.missing, style}});
    }
  }
  return table.Render(terminal);
}

nlohmann::ordered_json MetricsJson(const std::vector<doctor::SourceFinding>& sources) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const doctor::SourceFinding& source : sources) {
    nlohmann::ordered_json counters = nlohmann::ordered_json::array();
    for (const doctor::CounterFinding& counter : source.counters) {
      counters.push_back({{"name", counter.name},
                          {"unit", counter.unit},
                          {"description", counter.text},
                          {"available", counter.missing.empty()},
                          {"missing", counter.missing}});
    }
    all.push_back({{"source", source.name},
                   {"description", source.text},
                   {"one_ns", source.one_ns},
                   {"all_ns", source.all_ns},
                   {"counters", counters}});
  }
  return {{"epik", kVersion}, {"sources", all}};
}

int RunMetrics(bool json) {
  const config::Loaded loaded = config::LoadFromProcess();
  const std::vector<doctor::SourceFinding> sources = doctor::LookAtMetrics(loaded.settings.metric_plugins);
  if (json) {
    std::cout << MetricsJson(sources).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else {
    std::cout << MetricsText(sources, view::DetectTerminal(1));
  }
  return kDone;
}

int Run(bool json) {
  const std::vector<Seen> all = LookAtAll();
  if (json) {
    // Paths may hold any bytes; JSON may not.
    std::cout << Json(all).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else {
    const view::Terminal terminal = view::DetectTerminal(1);
    std::cout << Text(all, terminal) << "\n" << Summary(all, terminal);
  }
  return Worst(all) == Verdict::kBad ? kFault : kDone;
}

}  // namespace

void AddDoctor(cli::App& app, std::function<int()>& run) {
  const auto json = std::make_shared<bool>(false);
  app.AddFlag("--json", *json, "for programs: the same as one JSON object");
  const auto metrics = std::make_shared<bool>(false);
  app.AddFlag("--metrics", *metrics, "the counters that EPK_METRICS may name here, with what reading them costs");
  app.Footer(kDoctorManual);
  run = [json, metrics] { return *metrics ? RunMetrics(*json) : Run(*json); };
}

}  // namespace epik::epk
