// SPDX-License-Identifier: BSD-3-Clause
#include "tools/monitor/show.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "view/number.h"
#include "view/table.h"
#include "view/text.h"

namespace epik::monitor {

using nlohmann::json;
using view::Align;
using view::Cell;
using view::Cut;
using view::Style;
using view::Table;

namespace {

json Figures(const Running& values) {
  return {{"mean_s", values.mean()},
          {"min_s", values.min()},
          {"max_s", values.max()},
          {"deviation_s", values.deviation()},
          {"median_s", values.median()}};
}

std::string CutTo(const std::string& text, size_t lines) {
  size_t end = 0;
  for (; lines > 0 && end < text.size(); --lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
  return text.substr(0, end);
}

std::string Arrivals(const Job& job, const Moment& moment, const view::Terminal& terminal) {
  Table table({{"last", Align::kRight},
               {"times", Align::kRight},
               {"share", Align::kRight},
               {"late by", Align::kRight},
               {"communicator"},
               {"call path", Align::kLeft, true, Cut::kMiddle}});
  for (const LastArrival& arrival : moment.last_arrivals) {
    const Style style = arrival.share >= 0.5 ? Style::kAccent : Style::kPlain;
    table.AddRow({Cell("rank " + std::to_string(arrival.rank), style), view::Count(arrival.count),
                  view::Share(arrival.share), view::Seconds(arrival.late), job.CommunicatorName(arrival.communicator),
                  job.PathName(arrival.path)});
  }
  return table.empty() ? "" : table.Render(terminal);
}

std::string Wrappers(const Job& job, const view::Terminal& terminal) {
  Table table({{"thread", Align::kRight},
               {"calls", Align::kRight},
               {"wait", Align::kRight},
               {"median", Align::kRight},
               {"call", Align::kRight},
               {"call path", Align::kLeft, true, Cut::kMiddle}});
  std::vector<const std::pair<const WrapperKey, Wrapper>*> rows;
  for (const auto& row : job.gatherer().wrappers()) rows.push_back(&row);
  const auto waited = [](const auto* row) {
    return row->second.arrival.mean() * static_cast<double>(row->second.arrival.count());
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto* a, const auto* b) { return waited(a) > waited(b); });
  for (const auto* row : rows) {
    const Wrapper& wrapper = row->second;
    table.AddRow({std::to_string(row->first.rank) + ":" + std::to_string(row->first.thread),
                  view::Count(wrapper.total.count()), view::Seconds(wrapper.arrival.mean()),
                  view::Seconds(wrapper.arrival.median()), view::Seconds(wrapper.total.mean()),
                  job.PathName(row->first.path)});
  }
  return table.empty() ? "" : table.Render(terminal);
}

// Of the links of trees, first whose contributions came last most often, and latest.
std::string Trees(const Job& job, const view::Terminal& terminal) {
  Table table({{"link", Align::kRight},
               {"there and back", Align::kRight},
               {"median", Align::kRight},
               {"behind", Align::kRight},
               {"last", Align::kRight},
               {"communicator"},
               {"call path", Align::kLeft, true, Cut::kMiddle}});
  std::vector<const std::pair<const LinkKey, Link>*> rows;
  for (const auto& row : job.links().links()) rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* a, const auto* b) { return a->second.latency.mean() > b->second.latency.mean(); });
  for (const auto* row : rows) {
    const Link& link = row->second;
    const bool is_round_trip = link.latency.count() != 0;
    table.AddRow({std::to_string(row->first.child) + " > " + std::to_string(row->first.parent),
                  is_round_trip ? view::Seconds(link.latency.mean()) : "-",
                  is_round_trip ? view::Seconds(link.latency.median()) : "-", view::Seconds(link.behind.mean()),
                  view::Count(link.last), job.CommunicatorName(row->first.communicator),
                  job.PathName(row->first.path)});
  }
  return table.empty() ? "" : table.Render(terminal);
}

json LinksJson(const Job& job) {
  json out = json::array();
  for (const auto& [key, link] : job.links().links()) {
    out.push_back({{"comm", job.CommunicatorName(key.communicator)},
                   {"callpath", job.PathName(key.path)},
                   {"parent", key.parent},
                   {"child", key.child},
                   {"count", std::max(link.latency.count(), link.behind.count())},
                   {"latency", link.latency.count() == 0 ? json(nullptr) : Figures(link.latency)},
                   {"behind", Figures(link.behind)},
                   {"last", link.last}});
  }
  return out;
}

}  // namespace

std::string Missing(const Moment& moment) {
  if (moment.has_notes) return "";
  return "no collective calls are noted: start the program with EPK_MONITOR_BUFFER=1M to see who comes last";
}

std::string ShowJson(const Job& job, const Moment& moment) {
  json out = {{"format", "epik-monitor"},
              {"version", 1},
              {"program", job.program()},
              {"time_s", moment.time},
              {"interval_s", moment.interval},
              {"processes", moment.processes},
              {"balance", moment.has_balance ? json(moment.balance) : json(nullptr)},
              {"waited_share", moment.waited},
              {"last_arrivals", json::array()},
              {"statistics", json::array()},
              {"links", LinksJson(job)},
              {"gathered", moment.gathered},
              {"incomplete", moment.incomplete},
              {"discarded", moment.discarded},
              {"missing", Missing(moment)}};
  if (moment.visits > 0 || moment.rate > 0) {
    out["progress"] = {{"visits", moment.visits}, {"visits_per_s", moment.rate}};
  }
  for (const LastArrival& arrival : moment.last_arrivals) {
    out["last_arrivals"].push_back({{"comm", job.CommunicatorName(arrival.communicator)},
                                    {"callpath", job.PathName(arrival.path)},
                                    {"rank", arrival.rank},
                                    {"count", arrival.count},
                                    {"share", arrival.share},
                                    {"late_s", arrival.late}});
  }
  for (const auto& [key, wrapper] : job.gatherer().wrappers()) {
    out["statistics"].push_back({{"callpath", job.PathName(key.path)},
                                 {"rank", key.rank},
                                 {"thread", key.thread},
                                 {"count", wrapper.total.count()},
                                 {"total", Figures(wrapper.total)},
                                 {"arrival_wait", Figures(wrapper.arrival)},
                                 {"departure_wait", Figures(wrapper.departure)}});
    const auto stages = job.links().stages().find(key);
    if (stages == job.links().stages().end()) continue;
    out["statistics"].back()["stages"] = {{"down", Figures(stages->second.down)},
                                          {"onward", Figures(stages->second.onward)},
                                          {"up", Figures(stages->second.up)}};
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

std::string ShowText(const Job& job, const Moment& moment, size_t height, const view::Terminal& terminal) {
  std::string first = job.program() + "  " + std::to_string(moment.processes) +
                      (moment.processes == 1 ? " process" : " processes") + "  running " + view::Seconds(moment.time);
  first = view::Shorten(view::Printable(first), terminal.width, Cut::kMiddle, terminal.Ellipsis());
  std::string second = "balance " + (moment.has_balance ? view::Share(moment.balance) : std::string("-")) +
                       "  waiting in collectives " + view::Share(moment.waited) + "  notes overwritten unread " +
                       view::Count(moment.discarded);
  if (moment.visits > 0) second += "  progress " + view::Scaled(moment.rate, "") + "/s";
  second = view::Shorten(second, terminal.width, Cut::kEnd, terminal.Ellipsis());
  std::string text = terminal.Paint(Style::kBold, first) + "\n" + second + "\n\n";
  if (const std::string missing = Missing(moment); !missing.empty()) return text + missing + "\n";
  const std::string arrivals = Arrivals(job, moment, terminal), trees = Trees(job, terminal);
  std::string wrappers = Wrappers(job, terminal);
  if (!trees.empty()) wrappers = trees + "\n" + wrappers;
  if (height == 0) return text + arrivals + "\n" + wrappers;
  const size_t room = height > 5 ? height - 5 : 1;
  const auto wanted = static_cast<size_t>(std::count(arrivals.begin(), arrivals.end(), '\n'));
  const size_t above = std::min(wanted, (room + 1) / 2);
  return text + CutTo(arrivals, above) + "\n" + CutTo(wrappers, room - above);
}

}  // namespace epik::monitor
