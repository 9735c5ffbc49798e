// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/show.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <tuple>
#include <vector>

#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::top {

using view::Align;
using view::Cell;
using view::Cut;
using view::Style;
using view::Table;
using view::Terminal;

namespace {

struct Line {
  std::string name;
  Figures now, total;
};

// One line for each region, over all places that call it.
std::vector<Line> Regions(const Picture& picture) {
  std::map<std::string, Line> regions;
  const auto add = [](Figures* sum, const Figures& more, bool nested) {
    sum->exclusive += more.exclusive;
    sum->calls += more.calls;
    if (!nested) sum->inclusive += more.inclusive;  // the call further out has this time already
  };
  for (const auto& [name, path] : picture.paths) {
    Line& line = regions[path.region];
    add(&line.now, path.now, path.nested);
    add(&line.total, path.total, path.nested);
  }
  std::vector<Line> lines;
  for (const auto& [name, line] : regions) lines.push_back({name, line.now, line.total});
  return lines;
}

// Busy lines come first; among the idle lines, those that were busy before.
bool Before(const Line& a, const Line& b, Sort sort) {
  const auto rank = [sort](const Line& l) {
    switch (sort) {
      case Sort::kInclusive: return std::make_tuple(l.now.inclusive, l.total.inclusive);
      case Sort::kVisits: return std::make_tuple(static_cast<double>(l.now.calls), static_cast<double>(l.total.calls));
      default: return std::make_tuple(l.now.exclusive, l.total.exclusive);
    }
  };
  if (sort != Sort::kName && rank(a) != rank(b)) return rank(a) > rank(b);
  return a.name < b.name;
}

std::vector<Line> Lines(const Picture& picture, const ShowOptions& options) {
  std::vector<Line> lines;
  if (options.view == View::kRegions) {
    lines = Regions(picture);
  } else {
    for (const auto& [name, path] : picture.paths) lines.push_back({name, path.now, path.total});
  }
  std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return Before(a, b, options.sort); });
  if (options.top != 0 && lines.size() > options.top) lines.resize(options.top);
  return lines;
}

std::string Short(uint64_t count) {
  return count < 10000 ? view::Count(count) : view::Scaled(static_cast<double>(count), "");
}

double Rate(uint64_t calls, double seconds) { return seconds > 0 ? static_cast<double>(calls) / seconds : 0; }

std::string PerSecond(uint64_t calls, double seconds) { return RateText(Rate(calls, seconds)); }

bool IsJob(const Picture& picture) { return picture.processes.size() > 1; }

// "0:1", as reports name the locations of a job.
std::string ThreadName(const Picture::Thread& thread) {
  const std::string number = std::to_string(thread.line.number);
  return thread.process.rank < 0 ? number : std::to_string(thread.process.rank) + ":" + number;
}

std::string Header(const Picture& picture, const ShowOptions& options, const Terminal& terminal) {
  const auto running = static_cast<size_t>(
      std::count_if(picture.threads.begin(), picture.threads.end(), [](const auto& t) { return t.line.running; }));
  std::string first = options.title;
  if (IsJob(picture)) {
    first += "  " + std::to_string(picture.processes.size()) + " processes";
  } else if (!picture.processes.empty() && picture.processes.front().pid != 0) {
    first += "  pid " + std::to_string(picture.processes.front().pid);
  }
  first += "  running " + view::Seconds(picture.total_seconds) + "  " + std::to_string(running) +
           (running == 1 ? " thread" : " threads");
  if (options.frozen) first += "  FROZEN";
  std::string second = "calls " + PerSecond(picture.calls, picture.seconds) + "  in all " + Short(picture.total_calls) +
                       "  measuring costs " + view::Share(picture.CostShare()) + " now, " +
                       view::Share(picture.TotalCostShare()) + " in all";
  first = view::Shorten(view::Printable(first), terminal.width, Cut::kMiddle, terminal.Ellipsis());
  second = view::Shorten(second, terminal.width, Cut::kEnd, terminal.Ellipsis());
  return terminal.Paint(Style::kBold, first) + "\n" + second + "\n\n";
}

// Times since the last refresh are differences of sums: a value below a nanosecond is only rounding.
double Passed(double seconds) { return seconds < 1e-9 ? 0 : seconds; }

std::string Figure(const std::vector<Line>& lines, const Picture& picture, const ShowOptions& options,
                   const Terminal& terminal) {
  Table table({view::Figure("now %"), view::Figure("excl"), view::Figure("incl", 1), view::Figure("calls", 2),
               view::Figure("excl in all", 3), view::Figure("calls in all", 4),
               view::Name(options.view == View::kRegions ? "region" : "call path")});
  view::ShortPaths names(terminal);
  for (const Line& line : lines) {
    const double share = picture.time > 0 ? Passed(line.now.exclusive) / picture.time : 0;
    const Style style = share >= 0.25 ? Style::kAccent : share > 0 ? Style::kPlain : Style::kFaint;
    const Cell name =
        options.view == View::kRegions ? view::NameCell(&names, line.name) : view::PathCell(&names, line.name);
    const auto painted = [&terminal, style, name](size_t width) { return terminal.Paint(style, name.fit(width)); };
    table.AddRow({view::Share(share), view::Seconds(Passed(line.now.exclusive)),
                  view::Seconds(Passed(line.now.inclusive)), PerSecond(line.now.calls, picture.seconds),
                  view::Seconds(line.total.exclusive), Short(line.total.calls), Cell(painted)});
  }
  return table.Render(terminal);
}

std::string Threads(const Picture& picture, const ShowOptions& options, const Terminal& terminal) {
  Table table({view::Figure("thread"),
               view::Figure("tid", 2),
               {.header = "state", .spare = 1},
               view::Figure("calls", 3),
               view::Figure("for"),
               view::Name("is in")});
  view::ShortPaths paths(terminal);
  for (const Picture::Thread& thread : picture.threads) {
    const ThreadLine& line = thread.line;
    if (!line.running && options.view != View::kThreads) continue;
    table.AddRow({ThreadName(thread), line.running ? std::to_string(line.thread_id) : "",
                  Cell(thread.state, line.running ? Style::kPlain : Style::kFaint),
                  PerSecond(line.calls, picture.seconds), thread.path.empty() ? "" : view::Seconds(line.in_path),
                  thread.path.empty() ? Cell() : view::PathCell(&paths, thread.path)});
  }
  return table.Render(terminal);
}

std::string CutTo(const std::string& text, size_t lines) {
  size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

std::string Help(const Terminal& terminal) {
  constexpr const char* kKeys[][2] = {{"q", "quit"},
                                      {"e i v n", "sort by exclusive time, inclusive time, visits, name"},
                                      {"t", "call paths, regions, threads in turn"},
                                      {"+ -", "refresh more often, less often"},
                                      {"space", "freeze and go on"},
                                      {"?", "this, and back"}};
  constexpr size_t kIndent = 9;
  std::string text;
  for (const auto& [key, what] : kKeys) {
    const std::string first = key + std::string(kIndent - std::string_view(key).size(), ' ');
    text += view::Wrapped(first, what, kIndent, terminal.width);
  }
  return text;
}

}  // namespace

std::string RateText(double per_second) {
  const bool is_rare = per_second > 0 && per_second < 1;
  return (is_rare ? view::Amount(per_second, "") : view::Scaled(per_second, "")) + "/s";
}

std::string ShowText(const Picture& picture, const ShowOptions& options, const Terminal& terminal) {
  std::string text = Header(picture, options, terminal);
  if (options.help) return text + Help(terminal);
  const std::string threads = Threads(picture, options, terminal);
  if (options.view == View::kThreads) {
    text += threads;
    return options.height == 0 ? text : CutTo(text, options.height);
  }
  const std::string figures = Figure(Lines(picture, options), picture, options, terminal);
  if (options.height == 0) return text + figures + "\n" + threads;
  // Threads get a third of the screen at most.
  const size_t room = options.height > 4 ? options.height - 4 : 1;
  const auto wanted = static_cast<size_t>(std::count(threads.begin(), threads.end(), '\n'));
  const size_t below = std::min(wanted, room / 3);
  return text + CutTo(figures, room - below) + "\n" + CutTo(threads, below);
}

std::string ShowJson(const Picture& picture, const ShowOptions& options) {
  using nlohmann::json;
  const auto figures = [](const Figures& f) {
    return json{{"excl_s", f.exclusive}, {"incl_s", f.inclusive}, {"visits", f.calls}};
  };
  json out = {{"format", "epik-top"},
              {"version", 1},
              {"program", options.title},
              {"pid", picture.processes.empty() ? 0 : picture.processes.front().pid},
              {"processes", json::array()},
              {"seconds", picture.total_seconds},
              {"interval_s", picture.seconds},
              {"visits", picture.total_calls},
              {"interval_visits", picture.calls},
              {"visits_per_s", Rate(picture.calls, picture.seconds)},
              {"cost_share", picture.CostShare()},
              {"total_cost_share", picture.TotalCostShare()},
              {"callpaths", json::array()},
              {"threads", json::array()}};
  for (const ProcessLine& process : picture.processes) {
    out["processes"].push_back({{"pid", process.pid}});
    if (process.rank >= 0) out["processes"].back()["rank"] = process.rank;
  }
  for (const Line& line : Lines(picture, options)) {
    out["callpaths"].push_back({{options.view == View::kRegions ? "region" : "callpath", line.name},
                                {"interval", figures(line.now)},
                                {"total", figures(line.total)}});
  }
  for (const Picture::Thread& thread : picture.threads) {
    const ThreadLine& line = thread.line;
    out["threads"].push_back({{"thread", line.number},
                              {"tid", line.thread_id},
                              {"pid", thread.process.pid},
                              {"state", thread.state},
                              {"interval_visits", line.calls},
                              {"visits", line.total_calls},
                              {"in_s", line.in_path},
                              {"callpath", thread.path}});
    if (thread.process.rank >= 0) out["threads"].back()["rank"] = thread.process.rank;
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace epik::top
