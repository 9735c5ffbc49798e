// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/show.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "tools/top/show.h"
#include "view/name.h"
#include "view/number.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::monitor {

using nlohmann::json;
using scopes::Source;
using view::Cell;
using view::Cut;
using view::Style;
using view::Table;

namespace {

json Figures(const Summary& values) {
  return {{"mean_s", values.mean},
          {"min_s", values.min},
          {"max_s", values.max},
          {"deviation_s", values.Deviation()},
          {"median_s", values.median}};
}

// Lines of a table on a screen of any height: a header, the worst twenty, and how many there are besides.
constexpr size_t kMostLines = 22;

// How many rows are shown in so many lines: the header and, if rows are left out, their number take one each.
size_t ShownRows(size_t rows, size_t lines) { return rows < lines ? rows : lines - std::min<size_t>(lines, 2); }

std::string Rendered(const Table& table, size_t rows, size_t lines, const view::Terminal& terminal) {
  const size_t shown = ShownRows(rows, lines);
  std::string text = table.empty() ? "" : table.Render(terminal);
  if (shown < rows && lines > 0) {
    text += std::string(terminal.Ellipsis()) + " " + view::Count(rows - shown) + (shown == 0 ? " rows\n" : " more\n");
  }
  return text;
}

// Ends of names differ most often.
view::Column Communicator(int spare) {
  return {.header = "communicator", .flexible = true, .cut = Cut::kMiddle, .spare = spare};
}

double LateOf(const LastArrival& arrival) { return arrival.late / static_cast<double>(arrival.count); }

// The worst first, as everywhere below.
std::string Arrivals(const Job& job, size_t lines, const view::Terminal& terminal) {
  Table table({view::Figure("last"), view::Figure("times", 2), view::Figure("share", 3), view::Figure("late by"),
               Communicator(4), view::Name("call path")});
  view::ShortPaths paths(terminal);
  const Totals& calls = job.Of(Source::kCalls);
  const std::vector<LastArrival>& rows = calls.arrivals();
  for (size_t i = 0; i < ShownRows(rows.size(), lines); ++i) {
    const LastArrival& arrival = rows[i];
    const double share = calls.ShareOf(arrival);
    const Style style = share >= 0.5 ? Style::kAccent : Style::kPlain;
    table.AddRow({Cell("rank " + std::to_string(arrival.rank), style), view::Count(arrival.count), view::Share(share),
                  view::Seconds(LateOf(arrival)), job.CommunicatorName(arrival.communicator),
                  view::PathCell(&paths, job.PathName(arrival.path))});
  }
  return Rendered(table, rows.size(), lines, terminal);
}

std::string Wrappers(const Job& job, size_t lines, const view::Terminal& terminal) {
  Table table({view::Figure("thread"), view::Figure("calls", 2), view::Figure("wait"), view::Figure("median", 3),
               view::Figure("call", 1), view::Name("call path")});
  view::ShortPaths paths(terminal);
  std::vector<const std::pair<const WrapperKey, WrapperRow>*> rows;
  for (const auto& row : job.Of(Source::kCalls).wrappers()) rows.push_back(&row);
  const auto waited = [](const auto* row) {
    return row->second.arrival.mean * static_cast<double>(row->second.arrival.count);
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto* a, const auto* b) { return waited(a) > waited(b); });
  for (size_t i = 0; i < ShownRows(rows.size(), lines); ++i) {
    const auto& [key, wrapper] = *rows[i];
    table.AddRow({std::to_string(key.rank) + ":" + std::to_string(key.thread), view::Count(wrapper.total.count),
                  view::Seconds(wrapper.arrival.mean), view::Seconds(wrapper.arrival.median),
                  view::Seconds(wrapper.total.mean), view::PathCell(&paths, job.PathName(key.path))});
  }
  return Rendered(table, rows.size(), lines, terminal);
}

// The links of trees, slowest first.
std::string Trees(const Job& job, size_t lines, const view::Terminal& terminal) {
  Table table({view::Figure("link"), view::Figure("there and back"), view::Figure("median", 4),
               view::Figure("behind", 2), view::Figure("last", 1), Communicator(3), view::Name("call path")});
  view::ShortPaths paths(terminal);
  std::vector<const std::pair<const LinkKey, LinkRow>*> rows;
  for (const auto& row : job.Of(Source::kLinks).links()) rows.push_back(&row);
  const auto mean = [](const auto* row) { return KnowsLatency(row->second) ? row->second.latency.mean : -1; };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto* a, const auto* b) { return mean(a) > mean(b); });
  for (size_t i = 0; i < ShownRows(rows.size(), lines); ++i) {
    const auto& [key, link] = *rows[i];
    const bool is_round_trip = KnowsLatency(link);
    table.AddRow({std::to_string(key.child) + " > " + std::to_string(key.parent),
                  is_round_trip ? view::Seconds(link.latency.mean) : "-",
                  is_round_trip ? view::Seconds(link.latency.median) : "-", view::Seconds(link.behind.mean),
                  view::Count(link.last), job.CommunicatorName(key.communicator),
                  view::PathCell(&paths, job.PathName(key.path))});
  }
  return Rendered(table, rows.size(), lines, terminal);
}

std::string Ranks(const scopes::StandingRow& row) {
  return row.count == 1 ? "rank " + std::to_string(row.rank) : view::Count(row.count) + " ranks";
}

// Shows where all are while some stand still: this tells who keeps them waiting before their call has ended.
std::string Standing(const Job& job, const Moment& moment, const view::Terminal& terminal) {
  if (moment.standing == 0) return "";
  Table table({{.header = "now"}, view::Figure("for"), view::Name("call path")});
  view::ShortPaths paths(terminal);
  uint64_t shown = 0;
  for (const scopes::StandingRow& row : job.Of(Source::kWork).now().standing) {
    const bool waits = row.stands != 0, one = row.count == 1;
    const std::string what = waits ? (one ? " stands still" : " stand still")
                             : one ? " is elsewhere"
                                   : " are elsewhere";
    table.AddRow({Cell(Ranks(row) + what, waits ? Style::kPlain : Style::kAccent), view::Seconds(row.seconds),
                  view::PathCell(&paths, job.PathName(row.path))});
    shown += row.count;
  }
  if (shown < moment.processes) table.AddRow({"and " + view::Plural(moment.processes - shown, "rank"), "", ""});
  return table.Render(terminal);
}

json StandingJson(const Job& job, const Moment& moment) {
  if (moment.standing == 0) return nullptr;
  json calls = json::array(), others = json::array();
  for (const scopes::StandingRow& row : job.Of(Source::kWork).now().standing) {
    (row.stands != 0 ? calls : others)
        .push_back(
            {{"callpath", job.PathName(row.path)}, {"ranks", row.count}, {"rank", row.rank}, {"for_s", row.seconds}});
  }
  return {{"ranks", moment.standing}, {"calls", calls}, {"others", others}};
}

json ArrivalsJson(const Job& job, const Totals& totals) {
  json out = json::array();
  for (const LastArrival& arrival : totals.arrivals()) {
    out.push_back({{"comm", job.CommunicatorName(arrival.communicator)},
                   {"callpath", job.PathName(arrival.path)},
                   {"rank", arrival.rank},
                   {"count", arrival.count},
                   {"share", totals.ShareOf(arrival)},
                   {"late_s", LateOf(arrival)}});
  }
  return out;
}

// `links`: the scope that has the stages of the same calls.
json StatisticsJson(const Job& job, const Totals& calls, const Totals& links) {
  json out = json::array();
  for (const auto& [key, row] : calls.wrappers()) {
    out.push_back({{"callpath", job.PathName(key.path)},
                   {"rank", key.rank},
                   {"thread", key.thread},
                   {"count", row.total.count},
                   {"total", Figures(row.total)},
                   {"arrival_wait", Figures(row.arrival)},
                   {"departure_wait", Figures(row.departure)}});
    const auto stages = links.stages().find(key);
    if (stages == links.stages().end()) continue;
    out.back()["stages"] = {{"down", Figures(stages->second.down)},
                            {"onward", Figures(stages->second.onward)},
                            {"up", Figures(stages->second.up)}};
  }
  return out;
}

json LinksJson(const Job& job, const Totals& totals) {
  json out = json::array();
  for (const auto& [key, link] : totals.links()) {
    out.push_back({{"comm", job.CommunicatorName(key.communicator)},
                   {"callpath", job.PathName(key.path)},
                   {"parent", key.parent},
                   {"child", key.child},
                   {"count", std::max(link.latency.count, link.behind.count)},
                   {"latency", KnowsLatency(link) ? Figures(link.latency) : json(nullptr)},
                   {"behind", Figures(link.behind)},
                   {"last", link.last}});
  }
  return out;
}

json HostsJson(const Moment& moment) {
  json out = json::array();
  for (const scopes::HostState& host : moment.hosts) {
    out.push_back({{"host", host.name},
                   {"processes", host.processes},
                   {"discarded", host.discarded},
                   {"ended", host.has_ended},
                   {"lost", host.lost.empty() ? json(nullptr) : json(host.lost)}});
  }
  return out;
}

// `remaining_s`: null when the end cannot be estimated.
json ProgressJson(const Moment& moment) {
  json out = {{"visits", moment.visits}, {"visits_per_s", moment.has_rate ? json(moment.rate) : json(nullptr)}};
  if (moment.total <= 0) return out;
  out["total"] = moment.total;
  out["remaining_s"] = moment.has_remaining ? json(moment.remaining) : json(nullptr);
  return out;
}

// "progress  1,316 of 4,000  139/s  19.3 s left"
std::string ProgressText(const Moment& moment) {
  if (moment.visits <= 0) return "";
  std::string text = "progress  ";
  if (moment.total > 0) {
    text += view::Count(static_cast<uint64_t>(moment.visits)) + " of " +
            view::Count(static_cast<uint64_t>(moment.total)) + "  ";
  }
  text += moment.has_rate ? top::RateText(moment.rate) : "-";
  if (moment.has_remaining) text += "  " + view::Seconds(moment.remaining) + " left";
  return text + "\n";
}

// The object of a scope that the user described.
json ScopeJson(const Job& job, const Totals& totals) {
  const scopes::Description& description = totals.description();
  json out = {{"name", description.name}};
  const scopes::Work& work = totals.now().work;
  switch (description.source) {
    case Source::kWork:
      out["processes"] = work.processes;
      out["interval_s"] = work.interval;
      out["useful_s"] = work.useful;
      out["most_useful_s"] = work.most;
      return out;
    case Source::kVisits:
      out["visits"] = work.visits;
      out["interval_s"] = work.interval;
      out["visits_now"] = work.entered;
      return out;
    case Source::kLinks: out["links"] = LinksJson(job, totals); return out;
    case Source::kCalls: break;
  }
  out["gathered"] = totals.gathered();
  out["incomplete"] = totals.incomplete();
  out["last_arrivals"] = ArrivalsJson(job, totals);
  out["statistics"] = StatisticsJson(job, totals, totals);
  if (description.reduce != scopes::Reduce::kNone) return out;
  out["calls"] = json::array();
  for (const Part& part : totals.now().parts) {
    out["calls"].push_back({{"comm", job.CommunicatorName(part.communicator)},
                            {"sequence", part.sequence},
                            {"callpath", job.PathName(part.path)},
                            {"rank", part.rank},
                            {"thread", part.thread},
                            {"entered_s", part.entered},
                            {"left_s", part.left}});
  }
  return out;
}

std::string Hosts(const Moment& moment) {
  std::string text;
  for (const scopes::HostState& host : moment.hosts) {
    text += (text.empty() ? "" : "  ") + host.name + " " + std::to_string(host.processes);
    if (!host.lost.empty()) text += " (lost)";
  }
  return moment.hosts.size() < 2 ? "" : "hosts " + text + "\n";
}

}  // namespace

std::string ShowJson(const Job& job, const Moment& moment, bool of_user) {
  json out = {{"format", "epik-monitor"},
              {"version", 1},
              {"program", job.program()},
              {"time_s", moment.time},
              {"interval_s", moment.interval},
              {"processes", moment.processes},
              {"paused", moment.paused},
              {"hosts", HostsJson(moment)},
              {"balance", moment.has_balance ? json(moment.balance) : json(nullptr)},
              {"waited_share", moment.has_waited ? json(moment.waited) : json(nullptr)},
              {"standing", StandingJson(job, moment)},
              {"last_arrivals", ArrivalsJson(job, job.Of(Source::kCalls))},
              {"statistics", StatisticsJson(job, job.Of(Source::kCalls), job.Of(Source::kLinks))},
              {"statistics_by", job.Of(Source::kCalls).by_job() ? "job" : "monitor"},
              {"statistics_unknown", job.Of(Source::kCalls).unknown()},
              {"links", LinksJson(job, job.Of(Source::kLinks))},
              {"gathered", moment.gathered},
              {"incomplete", moment.incomplete},
              {"discarded", moment.discarded},
              {"missing", moment.missing}};
  if (moment.visits > 0) out["progress"] = ProgressJson(moment);
  if (of_user) {
    out["scopes"] = json::array();
    for (const Totals& totals : job.totals()) out["scopes"].push_back(ScopeJson(job, totals));
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

namespace {

// Adds lines, and an empty one before them.
void AddBlock(const std::string& lines, std::string* text) {
  if (!lines.empty()) *text += "\n" + lines;
}

std::string HowMany(const Job& job, const Moment& moment) {
  if (moment.processes == 0 && job.HasEnded()) return "  ended after ";
  return "  " + std::to_string(moment.processes) + (moment.processes == 1 ? " process" : " processes") + "  running ";
}

}  // namespace

std::string ShowText(const Job& job, const Moment& moment, size_t height, const view::Terminal& terminal) {
  std::string first = job.program() + HowMany(job, moment) + view::Seconds(moment.time);
  first = view::Shorten(view::Printable(first), terminal.width, Cut::kMiddle, terminal.Ellipsis());
  std::string second = "balance " + (moment.has_balance ? view::Share(moment.balance) : std::string("-")) +
                       "  waiting in collectives " +
                       (moment.has_waited ? view::Share(moment.waited) : std::string("-")) +
                       "  notes overwritten unread " + view::Count(moment.discarded);
  second = view::Shorten(second, terminal.width, Cut::kEnd, terminal.Ellipsis());
  std::string text = terminal.Paint(Style::kBold, first) + "\n" + second + "\n" + ProgressText(moment) +
                     view::Printable(Hosts(moment));
  AddBlock(Standing(job, moment, terminal), &text);
  if (!moment.missing.empty()) AddBlock(view::Printable(moment.missing) + "\n", &text);
  const size_t links = job.Of(Source::kLinks).links().size(), arrivals = job.Of(Source::kCalls).arrivals().size();
  size_t above = kMostLines, between = kMostLines, below = kMostLines;
  if (height != 0) {
    const size_t blank = 1 + (arrivals > 0 ? 1 : 0) + (links > 0 ? 1 : 0);  // lines before tables
    const auto head = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + blank + 1;
    const size_t room = height > head ? height - head : 1;
    above = arrivals == 0 ? 0 : std::min(arrivals + 1, (room + 1) / 2);
    between = links == 0 ? 0 : std::min(links + 1, (room - above) / 2);
    below = room - above - between;
  }
  AddBlock(Arrivals(job, above, terminal), &text);
  if (links > 0) AddBlock(Trees(job, between, terminal), &text);
  AddBlock(Wrappers(job, below, terminal), &text);
  return text;
}

}  // namespace epik::monitor
