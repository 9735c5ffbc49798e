// SPDX-License-Identifier: BSD-3-Clause
#include "tools/top/show.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <vector>

#include "tools/epk/view/number.h"
#include "tools/epk/view/table.h"
#include "tools/epk/view/text.h"
#include "tools/top/proc.h"

namespace epik::top {

using epk::view::Align;
using epk::view::Cell;
using epk::view::Cut;
using epk::view::Style;
using epk::view::Table;
using epk::view::Terminal;

namespace {

struct Line {
  std::string name;
  Figures now, total;
};

std::string PathName(const Sampler& sampler, const Names& names, uint32_t path) {
  std::string text;
  for (const event::Key key : sampler.PathKeys(path)) text += (text.empty() ? "" : " > ") + names.Of(key);
  return text;
}

void Add(Figures* sum, const Figures& more, bool nested) {
  sum->exclusive += more.exclusive;
  sum->calls += more.calls;
  if (!nested) sum->inclusive += more.inclusive;  // the call further out holds it already
}

// By region, wherever it was called.
std::vector<Line> Regions(const Sample& sample, const Sampler& sampler, const Names& names) {
  std::map<std::string, Line> regions;
  for (const PathLine& path : sample.paths) {
    const std::vector<event::Key> keys = sampler.PathKeys(path.path);
    const bool nested = std::count(keys.begin(), keys.end(), keys.back()) > 1;
    Line& line = regions[names.Of(keys.back())];
    Add(&line.now, path.now, nested);
    Add(&line.total, path.total, nested);
  }
  std::vector<Line> lines;
  for (auto& [name, line] : regions) {
    lines.push_back(line);
    lines.back().name = name;
  }
  return lines;
}

// What is busy now comes first; among what is not, what was.
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

std::vector<Line> Lines(const Sample& sample, const Sampler& sampler, const Names& names, const ShowOptions& options) {
  std::vector<Line> lines;
  if (options.view == View::kRegions) {
    lines = Regions(sample, sampler, names);
  } else {
    for (const PathLine& path : sample.paths) {
      lines.push_back({PathName(sampler, names, path.path), path.now, path.total});
    }
  }
  std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return Before(a, b, options.sort); });
  if (options.top != 0 && lines.size() > options.top) lines.resize(options.top);
  return lines;
}

std::string Short(uint64_t count) {
  return count < 10000 ? epk::view::Count(count) : epk::view::Scaled(static_cast<double>(count), "");
}

double Rate(uint64_t calls, double seconds) { return seconds > 0 ? static_cast<double>(calls) / seconds : 0; }

std::string PerSecond(uint64_t calls, double seconds) { return epk::view::Scaled(Rate(calls, seconds), "") + "/s"; }

std::string State(const ThreadLine& thread, int pid) {
  if (!thread.running) return "ended";
  return pid != 0 ? ThreadState(pid, static_cast<int>(thread.thread_id)) : "";
}

std::string Header(const Sample& sample, const ShowOptions& options, const Terminal& terminal) {
  const auto running = static_cast<size_t>(
      std::count_if(sample.threads.begin(), sample.threads.end(), [](const auto& t) { return t.running; }));
  std::string first = options.title;
  if (options.pid != 0) first += "  pid " + std::to_string(options.pid);
  first += "  running " + epk::view::Seconds(sample.total_seconds) + "  " + std::to_string(running) +
           (running == 1 ? " thread" : " threads");
  if (options.frozen) first += "  FROZEN";
  std::string second = "calls " + PerSecond(sample.calls, sample.seconds) + "  in all " + Short(sample.total_calls) +
                       "  measuring costs " + epk::view::Percent(sample.cost) + " now, " +
                       epk::view::Percent(sample.total_cost) + " in all";
  first = epk::view::Shorten(epk::view::Clean(first), terminal.width, Cut::kMiddle, terminal.Ellipsis());
  second = epk::view::Shorten(second, terminal.width, Cut::kEnd, terminal.Ellipsis());
  return terminal.Paint(Style::kBold, first) + "\n" + second + "\n\n";
}

std::string Figure(const std::vector<Line>& lines, const Sample& sample, const ShowOptions& options,
                   const Terminal& terminal) {
  double all = 0;
  for (const PathLine& path : sample.paths) all += path.now.exclusive;
  Table table({{"now %", Align::kRight},
               {"excl", Align::kRight},
               {"incl", Align::kRight},
               {"calls", Align::kRight},
               {"excl in all", Align::kRight},
               {"calls in all", Align::kRight},
               {options.view == View::kRegions ? "region" : "call path", Align::kLeft, true, Cut::kMiddle}});
  for (const Line& line : lines) {
    const double share = all > 0 ? line.now.exclusive / all : 0;
    const Style style = share >= 0.25 ? Style::kAccent : share > 0 ? Style::kPlain : Style::kFaint;
    table.AddRow({epk::view::Percent(share), epk::view::Seconds(line.now.exclusive),
                  epk::view::Seconds(line.now.inclusive), PerSecond(line.now.calls, sample.seconds),
                  epk::view::Seconds(line.total.exclusive), Short(line.total.calls), Cell(line.name, style)});
  }
  return table.Render(terminal);
}

std::string Threads(const Sample& sample, const Sampler& sampler, const Names& names, const ShowOptions& options,
                    const Terminal& terminal) {
  Table table({{"thread", Align::kRight},
               {"tid", Align::kRight},
               {"state"},
               {"calls", Align::kRight},
               {"for", Align::kRight},
               {"is in", Align::kLeft, true, Cut::kMiddle}});
  for (const ThreadLine& thread : sample.threads) {
    if (!thread.running && options.view != View::kThreads) continue;
    table.AddRow({std::to_string(thread.number), thread.running ? std::to_string(thread.thread_id) : "",
                  Cell(State(thread, options.pid), thread.running ? Style::kPlain : Style::kFaint),
                  PerSecond(thread.calls, sample.seconds),
                  thread.path == kNoPath ? "" : epk::view::Seconds(thread.in_path),
                  thread.path == kNoPath ? "" : PathName(sampler, names, thread.path)});
  }
  return table.Render(terminal);
}

std::string CutTo(const std::string& text, size_t lines) {
  size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

constexpr char kHelp[] =
    "q        quit\n"
    "e i v n  sort by exclusive time, inclusive time, visits, name\n"
    "t        call paths, regions, threads in turn\n"
    "+ -      refresh more often, less often\n"
    "space    freeze and go on\n"
    "?        this, and back\n";

}  // namespace

std::string ShowText(const Sample& sample, const Sampler& sampler, const Names& names, const ShowOptions& options,
                     const Terminal& terminal) {
  std::string text = Header(sample, options, terminal);
  if (options.help) return text + kHelp;
  const std::string threads = Threads(sample, sampler, names, options, terminal);
  if (options.view == View::kThreads) {
    text += threads;
    return options.height == 0 ? text : CutTo(text, options.height);
  }
  const std::string figures = Figure(Lines(sample, sampler, names, options), sample, options, terminal);
  if (options.height == 0) return text + figures + "\n" + threads;
  // Threads get a third of the screen at most.
  const size_t room = options.height > 4 ? options.height - 4 : 1;
  const auto wanted = static_cast<size_t>(std::count(threads.begin(), threads.end(), '\n'));
  const size_t below = std::min(wanted, room / 3);
  return text + CutTo(figures, room - below) + "\n" + CutTo(threads, below);
}

std::string ShowJson(const Sample& sample, const Sampler& sampler, const Names& names, const ShowOptions& options) {
  using nlohmann::json;
  const auto figures = [](const Figures& f) {
    return json{{"excl_s", f.exclusive}, {"incl_s", f.inclusive}, {"visits", f.calls}};
  };
  json out = {{"format", "epik-top"},
              {"version", 1},
              {"program", options.title},
              {"pid", options.pid},
              {"seconds", sample.total_seconds},
              {"interval_s", sample.seconds},
              {"visits", sample.total_calls},
              {"interval_visits", sample.calls},
              {"visits_per_s", Rate(sample.calls, sample.seconds)},
              {"cost_share", sample.cost},
              {"total_cost_share", sample.total_cost},
              {"callpaths", json::array()},
              {"threads", json::array()}};
  for (const Line& line : Lines(sample, sampler, names, options)) {
    out["callpaths"].push_back({{options.view == View::kRegions ? "region" : "callpath", line.name},
                                {"interval", figures(line.now)},
                                {"total", figures(line.total)}});
  }
  for (const ThreadLine& thread : sample.threads) {
    out["threads"].push_back({{"thread", thread.number},
                              {"tid", thread.thread_id},
                              {"state", State(thread, options.pid)},
                              {"interval_visits", thread.calls},
                              {"visits", thread.total_calls},
                              {"in_s", thread.in_path},
                              {"callpath", thread.path == kNoPath ? "" : PathName(sampler, names, thread.path)}});
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace epik::top
