// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <map>

#include "analysis/causes/classes.h"
#include "analysis/findings/findings.h"
#include "analysis/patterns/wait_profile.h"
#include "archive/profile/path_names.h"
#include "report/views/found.h"
#include "report/views/views.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/sparkline.h"
#include "view/text.h"

namespace epik::report {

using patterns::Wait;

namespace {

constexpr size_t kDefaultWaits = 20;
constexpr size_t kPatternColumn = 4;  // of the table of places

// A wait state at a call path, over all locations.
struct WaitPlace {
  uint32_t pattern = 0, path = 0;
  double seconds = 0;
  uint64_t instances = 0;
  double most = 0;
  uint32_t who = 0;  // the location that waited most
};

std::vector<WaitPlace> Places(const std::vector<Wait>& waits) {
  std::map<std::pair<uint32_t, uint32_t>, WaitPlace> places;
  for (const Wait& wait : waits) {
    if (!patterns::IsWaiting(*patterns::AllPatterns()[wait.pattern])) continue;
    WaitPlace& place = places[{wait.pattern, wait.path}];
    place.pattern = wait.pattern;
    place.path = wait.path;
    place.seconds += wait.seconds;
    place.instances += wait.instances;
    if (wait.seconds > place.most) {
      place.most = wait.seconds;
      place.who = wait.location;
    }
  }
  std::vector<WaitPlace> sorted;
  for (const auto& [key, place] : places) sorted.push_back(place);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const WaitPlace& a, const WaitPlace& b) { return a.seconds > b.seconds; });
  return sorted;
}

std::string NameOf(const archive::Profile& profile, uint32_t location) {
  const archive::Location& known = profile.locations[location];
  return std::to_string(profile.processes[known.process].rank) + ":" + std::to_string(known.thread);
}

Sheet Rows(const archive::Profile& profile, const std::vector<Wait>& waits) {
  Sheet sheet;
  sheet.key = "waits";
  sheet.columns = {{"rank", "rank", Unit::kCount},         {"thread", "thread", Unit::kCount},
                   {"callpath", "call path", Unit::kText}, {"pattern", "wait state", Unit::kText},
                   {"seconds", "time", Unit::kSeconds},    {"instances", "instances", Unit::kCount}};
  const archive::PathNames names(profile);
  for (const Wait& wait : waits) {
    const archive::Location& location = profile.locations[wait.location];
    sheet.rows.push_back({static_cast<uint64_t>(std::max(profile.processes[location.process].rank, 0)),
                          static_cast<uint64_t>(std::max(location.thread, 0)), names.Of(wait.path),
                          std::string(patterns::AllPatterns()[wait.pattern]->name), wait.seconds, wait.instances});
  }
  return sheet;
}

std::string LabelOf(const std::string& pattern) {
  const patterns::PatternInfo* info = InfoOf(pattern);
  return info == nullptr ? pattern : info->label;
}

// The lengths of single waits, by wait state.
Sheet Spreads(const findings::Distribution& distribution) {
  Sheet sheet;
  sheet.key = "patterns";
  sheet.columns = {{"seconds", "time", Unit::kSeconds},
                   {"instances", "times", Unit::kCount, 2},
                   {"median_s", "median", Unit::kSeconds, 1},
                   {"p90_s", "90 % below", Unit::kSeconds, 4},
                   {"p99_s", "99 % below", Unit::kSeconds, 3},
                   {"max_s", "longest", Unit::kSeconds},
                   {"metric", "", Unit::kText},
                   {"pattern", "wait state", Unit::kText}};
  for (const findings::Spread& spread : distribution.spreads) {
    if (!spread.callpath.empty()) continue;
    sheet.rows.push_back({spread.seconds, spread.instances, spread.median_s, spread.p90_s, spread.p99_s, spread.max_s,
                          spread.pattern, LabelOf(spread.pattern)});
  }
  std::stable_sort(sheet.rows.begin(), sheet.rows.end(),
                   [](const auto& a, const auto& b) { return std::get<double>(a[0]) > std::get<double>(b[0]); });
  return sheet;
}

// A line for each wait state: its figures as heights, and their sum.
std::string Sparklines(const std::vector<findings::Series>& all, const view::Terminal& terminal) {
  constexpr size_t kWidth = 32, kNarrow = 8, kMost = 5;
  std::vector<std::pair<double, const findings::Series*>> sorted;
  for (const findings::Series& series : all) {
    double sum = 0;
    for (const double seconds : series.seconds) sum += seconds;
    if (sum > 0) sorted.emplace_back(sum, &series);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  if (sorted.size() > kMost) sorted.resize(kMost);
  std::vector<std::string> times, labels, words;
  size_t before = 0, longest = 0;
  for (const auto& [sum, series] : sorted) {
    times.push_back("|  " + view::SecondsCell(sum, terminal.unicode) + "  ");
    labels.push_back(LabelOf(series->pattern));
    before = std::max(before, view::Width(times.back()) + 3);
  }
  const size_t room = std::max(kNarrow, terminal.width - std::min(terminal.width, before + kNarrow));
  const std::vector<std::string> names = view::ShortNames({labels.begin(), labels.end()}, room, terminal);
  for (size_t i = 0; i < names.size(); ++i) {
    words.push_back(times[i] + names[i]);
    longest = std::max(longest, view::Width(words.back()) + 3);
  }
  const size_t width = std::clamp(terminal.width - std::min(terminal.width, longest), kNarrow, kWidth);
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    text +=
        "  |" + view::PadRight(view::Sparkline(terminal, sorted[i].second->seconds, width), width) + words[i] + "\n";
  }
  return text;
}

// When the threads waited: over the run, and by iteration.
std::string WhenInWords(const findings::Distribution& distribution, const view::Terminal& terminal) {
  constexpr size_t kMostLoops = 3;
  std::string text;
  size_t bins = 0;
  for (const findings::Series& series : distribution.over_time.patterns) bins = std::max(bins, series.seconds.size());
  if (const std::string lines = Sparklines(distribution.over_time.patterns, terminal); !lines.empty()) {
    text += "\nWhen: the whole run, " +
            view::Seconds(distribution.over_time.bin_s * static_cast<double>(bins), terminal.unicode) +
            " from left to right\n" + lines;
  }
  for (size_t i = 0; i < std::min(distribution.iterations.size(), kMostLoops); ++i) {
    const findings::Iterations& loop = distribution.iterations[i];
    const std::string lines = Sparklines(loop.patterns, terminal);
    if (lines.empty() || loop.first.empty()) continue;
    text += "\nBy " + view::Printable(loop.parameter) + ", " + view::Printable(loop.first.front()) + " to " +
            view::Printable(loop.last.back()) +
            (loop.callpath.empty() ? "" : ", in " + view::Printable(loop.callpath)) + "\n" + lines;
  }
  return text;
}

// For a summary: calls whose partners could not be asked.
uint64_t UnknownWaits(const archive::Profile& profile) {
  const uint32_t metric = profile.FindMetric("mpi_waits_unknown");
  uint64_t calls = 0;
  for (uint32_t path = 0; metric != archive::kNone && path < profile.call_paths.size(); ++path) {
    for (uint32_t l = 0; profile.values[metric].Has(path) && l < profile.locations.size(); ++l) {
      calls += profile.values[metric].Integer(path, l);
    }
  }
  return calls;
}

}  // namespace

const patterns::PatternInfo* InfoOf(std::string_view pattern) {
  for (const patterns::PatternInfo* info : patterns::AllPatterns()) {
    if (pattern == info->name) return info;
  }
  return nullptr;
}

const patterns::PatternInfo* WholeOf(const patterns::PatternInfo& part) { return InfoOf(part.parent); }

std::string WaitStateInWords(const std::string& pattern, const std::string& kind) {
  if (const patterns::PatternInfo* info = InfoOf(pattern); info != nullptr) return info->label;
  for (const causes::ClassInfo& info : causes::Classes()) {
    if (kind == info.metric) return info.label;
  }
  return kind;
}

std::string PartsInWords(const Sheet& table, size_t column, const view::Terminal& terminal) {
  std::string text;
  for (const patterns::PatternInfo* info : patterns::AllPatterns()) {
    const patterns::PatternInfo* whole = WholeOf(*info);
    const bool shown = std::any_of(table.rows.begin(), table.rows.end(), [&](const std::vector<SheetCell>& row) {
      return std::get<std::string>(row[column]) == info->label;
    });
    if (whole == nullptr || !shown) continue;
    text += (text.empty() ? "" : "; ") + std::string(info->label) + " is a part of " + whole->label;
  }
  if (text.empty()) return "";
  return terminal.Dim(view::Wrapped("", text + ".", 0, terminal.width));
}

std::string WaitingInWords(const findings::Findings& found, const std::string& label, const view::Terminal& terminal) {
  constexpr size_t kWidth = 32;
  std::vector<double> all;
  for (const findings::Series& series : found.distribution.over_time.patterns) {
    // A part of another wait state is contained in that one.
    const auto& patterns = patterns::AllPatterns();
    const bool is_part = std::any_of(patterns.begin(), patterns.end(), [&](const patterns::PatternInfo* info) {
      return info->name == series.pattern && WholeOf(*info) != nullptr;
    });
    const bool is_none = std::any_of(patterns.begin(), patterns.end(), [&](const patterns::PatternInfo* info) {
      return info->name == series.pattern && !patterns::IsWaiting(*info);
    });
    if (is_part || is_none) continue;
    all.resize(std::max(all.size(), series.seconds.size()));
    for (size_t i = 0; i < series.seconds.size(); ++i) all[i] += series.seconds[i];
  }
  if (all.empty()) return "";
  const double end = found.distribution.over_time.bin_s * static_cast<double>(all.size());
  return view::Labelled(label,
                        "0 s |" + view::Sparkline(terminal, all, kWidth) + "| " + view::Seconds(end, terminal.unicode) +
                            ", all threads; --waits has more",
                        terminal.width);
}

bool MakeWaits(const Figures& f, const ViewOptions& options, ViewData* view, std::string* error) {
  const archive::Profile& profile = f.profile;
  if (!patterns::HasWaits(profile)) {
    *error = "this profile has no wait states: EPK_WAITS=yes measures some, and epk analyze finds them in a trace";
    return false;
  }
  const std::vector<Wait> waits = patterns::WaitsOf(profile);
  view->sheets.push_back(Rows(profile, waits));
  Sheet table;
  table.key = "places";
  table.hidden_prefix = RootPrefix(f);
  table.columns = {{"seconds", "time", Unit::kSeconds},    {"instances", "times", Unit::kCount, 1},
                   {"most_s", "most", Unit::kSeconds, 2},  {"who", "by", Unit::kText, 3},
                   {"pattern", "wait state", Unit::kText}, {"callpath", "call path", Unit::kText}};
  for (const WaitPlace& place : Places(waits)) {
    table.rows.push_back({place.seconds, place.instances, place.most, NameOf(profile, place.who),
                          std::string(patterns::AllPatterns()[place.pattern]->label), profile.PathName(place.path)});
  }
  const uint64_t unknown = UnknownWaits(profile);
  view->totals = {{"wait_states", uint64_t{table.rows.size()}}, {"waits_unknown", unknown}};
  view->text = !table.rows.empty() ? RenderSheet(table, options.TopOr(kDefaultWaits), options.terminal)
               : unknown == 0      ? "No wait states were found.\n"
                                   : "No wait states were found in calls whose waits are known.\n";
  if (unknown != 0) {
    const std::string calls = epik::view::Plural(unknown, "call");
    view->lacks = calls + " with unknown waits have no row: --format csv without --waits counts them by call path";
    view->text += "How long " + calls + " waited is not known.\n";
  }
  view->text += PartsInWords(table, kPatternColumn, options.terminal);
  const Sheet spreads =
      Spreads(options.findings != nullptr ? options.findings->distribution : findings::Distribution());
  if (!spreads.rows.empty()) {
    view->text += "\nHow long single waits were\n" + RenderSheet(spreads, 0, options.terminal) +
                  WhenInWords(options.findings->distribution, options.terminal);
  }
  view->next =
      "docs/patterns.md (installed: share/doc/epik/docs) says what each is and what to do; `--waits --format csv` has "
      "every thread.";
  view->sheets.push_back(std::move(table));
  view->sheets.push_back(spreads);
  return true;
}

}  // namespace epik::report
