// SPDX-License-Identifier: BSD-3-Clause
#include "report/text/text.h"

#include <algorithm>
#include <cstdlib>

#include "archive/files/cost_text.h"
#include "report/estimated.h"
#include "report/views/advice.h"
#include "report/views/found.h"
#include "report/views/views.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/shell.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::report {

using archive::Manifest;

namespace {

std::string EndedInWords(const Manifest& m) {
  std::string words = m.ended == "exit"      ? "normally"
                      : m.ended == "signal"  ? "stopped by a signal"
                      : m.ended == "_exit"   ? "left by _exit"
                      : m.ended == "exec"    ? "replaced by exec"
                      : m.ended == "abort"   ? "aborted"
                      : m.ended == "killed"  ? "killed"
                      : m.ended == "running" ? "still running"
                                             : view::Printable(m.ended);
  if (!m.ended_detail.empty() && m.ended_detail != "status 0") words += " (" + view::Printable(m.ended_detail) + ")";
  return words;
}

// The manifest has the number. Files without a manifest, of other tools or of a computation, may have a metric for it.
uint64_t Unfinished(const Figures& figures, const Manifest& m) {
  if (!m.ended.empty()) return m.open_frames;
  uint64_t count = 0;
  for (uint64_t frames : figures.Sums("unfinished")) count += frames;
  return std::max(count, m.open_frames);
}

// Empty when there is no reason for an alarm.
std::string Alarm(const Figures& figures, const Manifest& m) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (m.ended == "running") add("SNAPSHOT of a running program");
  if (m.ended != "exit" && m.ended != "running" && !m.ended.empty()) add("DID NOT END NORMALLY: " + EndedInWords(m));
  if (m.recovered) add(text.empty() ? "RECOVERED from what the run left behind" : "recovered from what it left behind");
  // When a program calls exit(), some calls are open: that is no reason for an alarm.
  if (const uint64_t open = Unfinished(figures, m); open > 0 && m.ended != "exit") {
    const bool first = text.empty();
    add(view::Count(open) + (open == 1 ? (first ? " CALL" : " call") : (first ? " CALLS" : " calls")) +
        (first ? " NEVER RETURNED" : " never returned"));
  }
  return text;
}

// Work of the measurement beside the events. Empty when it is too little to mention.
std::string OwnWork(const Manifest& m, bool unicode) {
  if (!(m.own_seconds > 0.05 * m.cost_seconds)) return "";
  return "; " + archive::OwnWorkInWords(m) + " " + view::Seconds(m.own_seconds, unicode);
}

// The cost of reading counters for an enter and an exit, by source. The descriptions of counters have it: "read in 950
// ns (rusage)", which is the same for all counters of one source.
std::string ReadingCosts(const archive::Profile& profile, bool unicode) {
  constexpr std::string_view kReadIn = "read in ";
  std::string text, seen;
  for (const archive::Metric& metric : profile.metrics) {
    const size_t at = metric.description.rfind(kReadIn);
    const size_t open = metric.description.find(" ns (", at == std::string::npos ? 0 : at);
    const size_t close = metric.description.find(')', open == std::string::npos ? open : open + 5);
    if (at == std::string::npos || close == std::string::npos) continue;
    const std::string source = metric.description.substr(open + 5, close - open - 5);
    const double ns = std::strtod(metric.description.c_str() + at + kReadIn.size(), nullptr);
    if (!(ns > 0) || ("," + seen).find("," + source + ",") != std::string::npos) continue;
    seen += source + ",";
    text += (text.empty() ? "" : ", ") + view::Printable(source) + " " + view::Seconds(2 * ns * 1e-9, unicode);
  }
  return text.empty() ? "" : "; counters, per enter and exit: " + text;
}

std::string CostLine(const archive::Profile& profile, const Manifest& m, bool unicode) {
  std::string text = view::Plural(m.events, "event");
  if (m.approximation.there) {
    return text + "; an approximation of " + view::Printable(m.approximation.of) + ": " +
           view::Printable(m.approximation.change) + ", bound " + view::Printable(m.approximation.bound);
  }
  if (m.events == 0 || !(m.pair_cost_ns > 0)) return text + (m.events == 0 ? "" : "; what they cost is not known");
  const bool little = m.cost_percent < 0.1;
  text += " at " + view::Seconds(m.pair_cost_ns * 1e-9, unicode) +
          " per enter and exit: " + archive::CostInWords(m, unicode) + OwnWork(m, unicode);
  if (const std::string without = archive::WithoutItInWords(m, unicode); !little && !without.empty()) {
    text += "; " + without;
  }
  return text + ReadingCosts(profile, unicode);
}

std::string LossLine(const Manifest& m) {
  std::string text;
  const auto add = [&](uint64_t count, const char* singular, const char* what) {
    if (count > 0) text += (text.empty() ? "" : "; ") + view::Plural(count, singular) + what;
  };
  add(m.folded_visits, "visit", " folded into the caller, limits reached");
  add(m.dropped_events, "event", " dropped");
  add(m.repairs, "frame", " left by longjmp or exit, without a return");
  add(m.unmatched_exits, "exit", " without an enter, ignored");
  return text;
}

// 2024-05-01T10:00:00+02:00 is easier to read with a blank.
std::string When(const Manifest& m) {
  std::string when = view::Printable(m.started);
  if (when.size() > 10 && when[10] == 'T') when[10] = ' ';
  return when;
}

std::string SumsInWords(const View& view) {
  if (view.Is(kSingle)) return "";
  return view.Is(kMixed) ? "; so is the time of each row" : "; so are all times below";
}

std::string Header(const Figures& figures, const Manifest& m, const ViewOptions& options) {
  const view::Terminal& terminal = options.terminal;
  const size_t locations = figures.profile.locations.size();
  const auto line = [&](const char* label, const std::string& text) {
    return view::Labelled(label, text, options.terminal.width);
  };
  std::string out;
  const std::string alarm = Alarm(figures, m);
  if (!alarm.empty()) out += terminal.Alarm(view::Wrapped("", alarm, 2, options.terminal.width));
  const std::string shape = view::Plural(static_cast<uint64_t>(std::max(m.ranks, 0)), "rank") + " " +
                            std::string(terminal.Times()) + " " +
                            view::Plural(static_cast<uint64_t>(std::max(m.threads, 0)), "thread");
  const std::string program = view::Printable(m.program.empty() ? "(unknown program)" : m.program);
  const std::string ran =
      shape + ", " +
      (m.ended.empty() ? "how it ran is not known" : view::Seconds(m.wall_seconds, terminal.unicode) + " wall time");
  const bool fits = view::Width(program + ", " + ran) <= terminal.width;
  out += terminal.Bold(program) + (fits ? ", " + ran + "\n" : "\n" + view::Wrapped("  ", ran, 2, terminal.width));
  const std::string host = m.host.empty() ? "" : " on " + view::Printable(m.host);
  if (!m.started.empty() || !host.empty()) out += line("when", When(m) + host);
  if (!m.command.empty()) out += line("command", view::InShell(m.command));
  if (alarm.empty() && !m.ended.empty()) {
    const uint64_t open = Unfinished(figures, m);
    const std::string still = open == 0 ? "" : "; " + view::Plural(open, "call was", "calls were") + " open then";
    out += line("ended", EndedInWords(m) + still);
  }
  out += line("time",
              view::Seconds(options.run_seconds < 0 ? figures.time.Total() : options.run_seconds, terminal.unicode) +
                  (locations == 1 ? ", one location"
                                  : " = sum over " + view::Plural(locations, "location") + " (threads of all ranks)" +
                                        SumsInWords(*FindView(options.view))));
  if (figures.time.IsDifference()) {
    out += line("difference",
                "of runs: what is below 0 took less than before. Efficiencies, unevenness and what could be saved mean "
                "nothing here.");
  }
  const std::string cost = m.ended.empty() ? "" : line("measuring", CostLine(figures.profile, m, terminal.unicode));
  out += m.CostPercentLeast() > kMuchCost ? terminal.Warning(cost) : cost;
  if (const std::string oversubscribed = archive::OversubscribedInWords(m); !oversubscribed.empty()) {
    out += line("machine", oversubscribed);
  }
  if (const std::string lost = LossLine(m); !lost.empty()) out += terminal.Warning(line("lost", lost));
  if (const std::string hot = EstimatedRegions(figures, terminal); !hot.empty()) out += line("estimated", hot);
  for (const std::string& note : m.notes) out += line("note", view::Printable(note));
  return out;
}

// The results of an analysis of the trace: first why threads waited, then where.
std::string Found(const Figures& figures, const ViewOptions& options, bool oversubscribed) {
  constexpr size_t kMost = 5;
  if (options.findings == nullptr) return "";
  const std::string links = SlowLinksInWords(*options.findings, oversubscribed, kMost, "slow link", options.terminal);
  if (options.findings->waits == 0) return links.empty() ? "" : links + "\n";
  const size_t chains = ChainsThatMatter(*options.findings, kMost);
  return ChainsInWords(*options.findings, chains, "causes", options.terminal) + links +
         InstancesInWords(figures, *options.findings, kMost, "worst", options.terminal) +
         WaitingInWords(*options.findings, "waiting", options.terminal) + "\n";
}

}  // namespace

bool WriteText(const archive::Profile& profile, const Manifest& manifest, const ViewOptions& options, const Sink& sink,
               std::string* error) {
  return WriteText(Figures(profile), manifest, options, sink, error);
}

bool WriteText(const Figures& figures, const Manifest& manifest, const ViewOptions& wanted, const Sink& sink,
               std::string* error) {
  ViewOptions options = wanted;
  options.manifest = &manifest;
  const archive::Profile& profile = figures.profile;
  const bool nothing = profile.call_paths.empty() || profile.locations.empty();
  ViewData view;
  if (!nothing && !MakeView(figures, options, &view, error)) return false;
  const std::string header = Header(figures, manifest, options);
  if (!figures.error.empty()) {
    *error = figures.error;
    return false;
  }
  sink(header + "\n");
  if (nothing) {
    sink(view::Wrapped("", "Nothing was recorded. Was the program instrumented? See `epk help instrument`.", 0,
                       options.terminal.width));
    return true;
  }
  if (!FindView(options.view)->Is(kAnalysis)) sink(Found(figures, options, archive::IsOversubscribed(manifest)));
  sink(view.text);
  std::string next;
  for (const std::string& advice :
       Advise(figures, manifest, options.findings, options.view, view.next, options.terminal.unicode)) {
    next += view::Labelled(next.empty() ? "next" : "", advice, options.terminal.width);
  }
  if (!next.empty()) sink("\n" + next);
  return true;
}

}  // namespace epik::report
