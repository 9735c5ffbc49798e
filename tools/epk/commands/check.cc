// SPDX-License-Identifier: BSD-3-Clause
// epk check: is an archive complete, and does its trace agree with its summary?
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <limits>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/replay/archive_world.h"
#include "archive/cubex/reader.h"
#include "archive/directory/archive.h"
#include "archive/metrics/imbalance.h"
#include "archive/metrics/metric_tree.h"
#include "archive/trace/trace_archive.h"
#include "archive/trace_profile/counters.h"
#include "archive/trace_profile/trace_profile.h"
#include "archive/trace_profile/traffic.h"
#include "config/trace_selection.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/command.h"
#include "tools/epk/trace_options.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::epk {
namespace {

using archive::Profile;
using archive::TraceArchive;
using event::RecordKind;

constexpr char kCheckManual[] = R"(
DESCRIPTION
  Reads everything an archive holds: the manifest, the profile, and every block of every trace, whose events must be
  in the order of time and nested, with call paths that are defined. It lists every fault; the exit status is 1 then.
  Lost values are faults, and so are infinite or negative times of a run. A .cubex file alone may be a difference, with
  negative times.

  `--trace-vs-summary` also computes the profile from the trace and compares it with the summary, value for value:
  visits, times, shortest and longest visits of every call path on every thread; messages, collective operations,
  one-sided accesses and their bytes; and the program's own metrics. They are equal when `EPK_TRACE=all` was on from
  the beginning of the run to its end. A trace of selected calls, or one that has lost events, cannot be compared.
  When a process was killed, the calls that were open then are left out.

EXAMPLES
    epk check epik_solver_4x2_trace
    epk check epik_solver_4x2_trace --trace-vs-summary

SEE ALSO
  epk-info(1), epk-recover(1)
)";

struct CheckOptions {
  std::string archive;
  bool compare = false;
};

void Say(const std::string& line) {
  std::fputs(view::Wrapped("", view::Printable(line), 2, view::DetectTerminal(STDOUT_FILENO).width).c_str(), stdout);
}

class Findings {
 public:
  void Add(const std::string& problem) {
    constexpr size_t kMost = 50;
    if (++count_ <= kMost) Say(problem);
    if (count_ == kMost + 1) std::printf("and more\n");
  }
  size_t count() const { return count_; }

 private:
  size_t count_ = 0;
};

// Checks one stream, to its end. *switched: the program, a signal or `epk control` switched the trace off or on.
uint64_t CheckStream(const TraceArchive& archive, const TraceArchive::Stream& stream, Findings* findings,
                     bool* switched) {
  const TraceArchive::Process& process = *archive.processes()[stream.process];
  const std::string where = "rank " + std::to_string(process.map.rank) + ", thread " + std::to_string(stream.number);
  archive::LocationReader reader(&process.file, stream.number);
  archive::Event event;
  std::vector<uint32_t> open;
  uint64_t events = 0;
  uint64_t last = 0;
  uint64_t unknown = 0;
  bool nested = true;
  bool ordered = true;
  while (reader.Next(&event)) {
    events += event.made_up ? 0 : 1;  // calls that were open before a gap are in no file
    ordered = ordered && event.time >= last;
    last = event.time;
    if (event.kind == RecordKind::kEnter) {
      nested = nested && event.depth == open.size();
      open.push_back(event.node);
      if (archive.CallPath(stream.process, event.node) == archive::kNone) ++unknown;
    } else if (event.kind == RecordKind::kExit) {
      nested = nested && !open.empty() && open.back() == event.node && event.depth + 1 == open.size();
      if (!open.empty()) open.pop_back();
    } else if (event.kind == RecordKind::kSwitched) {
      *switched = true;
    }
  }
  for (const archive::Damage& damage : reader.damage()) {
    findings->Add(process.map.file + ", byte " + std::to_string(damage.offset) + ": " + damage.what);
  }
  if (!ordered) findings->Add(where + ": times go back");
  if (!nested) findings->Add(where + ": calls are not nested");
  if (unknown != 0)
    std::printf("%s: %llu calls whose call path was not recorded\n", where.c_str(),
                static_cast<unsigned long long>(unknown));
  return events;
}

bool IsSame(archive::Type type, const archive::Values& a, const archive::Values& b, uint32_t path, uint32_t location,
            bool exact) {
  if (type == archive::Type::kUint64) return a.Integer(path, location) == b.Integer(path, location);
  const double x = a.Real(path, location);
  const double y = b.Real(path, location);
  if (x == y || (std::isnan(x) && std::isnan(y))) return true;
  // Sums of rounded numbers differ when their order does. The tolerance must be far less than a tick: 1e-12 seconds is.
  // A short exclusive time may be the difference of long inclusive ones, with their rounding.
  constexpr double kFarLessThanATick = 1e-12;
  const double of_value = (exact ? 1e-14 : 1e-9) * std::max(std::abs(x), std::abs(y));
  return std::abs(x - y) <= (exact ? std::max(of_value, kFarLessThanATick) : of_value);
}

// The restriction of the run's trace, from the archive's epik.conf; "": none.
std::string RestrictionOf(const std::string& archive) {
  const std::string selection = replay::SelectionOf(archive);
  config::TraceSelection trace;
  if (!config::ParseTrace(selection, &trace)) return "";
  const bool some_calls = trace.comm || trace.msgs || trace.slow_ns > 1 || trace.visits != 0 || !trace.windows.empty();
  const bool whole = trace.all && trace.visits == 0 && trace.windows.empty();
  return some_calls && !whole ? selection : "";
}

void RefuseIncomplete(const std::string& name, const archive::Archive& archive) {
  const std::string restriction = RestrictionOf(archive.path);
  if (!restriction.empty()) {
    throw Fault(name + ": its trace has no more than EPK_TRACE=" + restriction +
                " asked for: only one of EPK_TRACE=all can be compared with the summary");
  }
  if (replay::SettingOf(archive.path, "EPK_TRACE_START") == "no") {
    throw Fault(name + ": EPK_TRACE_START=no began its trace later than the run: there is no whole one to compare");
  }
  if (const uint64_t lost = archive.manifest.trace.lost; lost != 0) {
    throw Fault(name + ": its trace has lost " + std::to_string(lost) + " events: there is no whole one to compare");
  }
}

// A missing file is a fault, unless the user asked for an archive without it.
void FindMissing(const archive::Archive& archive, bool has_trace, Findings* findings) {
  if (!std::filesystem::is_directory(archive.path)) return;
  if (!archive.has_manifest) findings->Add(std::string(archive::kManifestName) + " is missing, or cannot be read");
  const bool wants_none =
      (has_trace || archive.manifest.trace.there) && replay::SettingOf(archive.path, "EPK_SUMMARY") == "no";
  if (archive.summary_path.empty() && !wants_none) findings->Add(std::string(archive::kSummaryName) + " is missing");
  if (archive.manifest.trace.there && archive.manifest.trace.format == "otf2") {
    Say("the trace is OTF2, which is not looked at: try otf2-print on the .otf2 file in " + archive.path);
  }
}

// The least or the largest of no values is a limit of its type.
std::string Shown(double value) {
  if (std::abs(value) >= std::numeric_limits<double>::max()) return "no value";
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string PlaceOf(const Profile& summary, uint32_t location) {
  return summary.processes[summary.locations[location].process].name + ", " + summary.locations[location].name;
}

// The values of EPIK's own metrics that no run can have: infinite ones, and times below 0. Metrics of the program may
// have any value, and a profile that was computed from others may have negative times.
void FindWrongValues(const Profile& summary, bool of_run, Findings* findings) {
  for (uint32_t m = 0; m < summary.metrics.size(); ++m) {
    const archive::Metric& metric = summary.metrics[m];
    const archive::Values& values = summary.values[m];
    const bool is_own = archive::IsTreeMetric(metric.unique_name) || metric.unique_name == "min_time" ||
                        metric.unique_name == "max_time" || metric.unique_name == "time_squares";
    if (!is_own || metric.type == archive::Type::kUint64) continue;
    const bool is_time = of_run && metric.unit == "sec" && !archive::Imbalance::IsOne(metric.unique_name);
    constexpr double kRounding = -1e-9;  // an exclusive time is the difference of long ones
    uint64_t wrong = 0;
    std::string first;
    for (uint32_t p = 0; p < summary.call_paths.size(); ++p) {
      for (uint32_t l = 0; values.Has(p) && l < summary.locations.size(); ++l) {
        const double value = values.Real(p, l);
        const bool is_missing = values.Row(p)[l] == archive::Values::EmptyBits(metric.type);
        const bool is_negative = is_time && value < kRounding;
        if (is_missing || (std::isfinite(value) && !is_negative)) continue;
        const std::string shown = std::isinf(value) ? value < 0 ? "-inf" : "inf" : Shown(value);
        if (wrong++ == 0) first = shown + " of " + summary.PathName(p) + " on " + PlaceOf(summary, l);
      }
    }
    if (wrong == 0) continue;
    findings->Add("metric " + metric.unique_name + " has " +
                  view::Plural(wrong, "value that no run has", "values that no run has") + ": " + first +
                  (wrong > 1 ? " is the first" : ""));
  }
}

// Reads the profile, and adds what is wrong with it.
void CheckSummary(const archive::Archive& archive, Profile* summary, Findings* findings) {
  std::string error;
  std::vector<std::string> notes;
  archive::CubexReader reader;
  if (!archive.ReadProfile(summary, &error, &notes) || !reader.Open(archive.summary_path, &error)) {
    findings->Add(error);
    return;
  }
  for (const std::string& damage : reader.damage()) findings->Add(damage);
  for (const std::string& note : notes) {
    const std::vector<std::string>& damage = reader.damage();
    if (std::find(damage.begin(), damage.end(), note) == damage.end()) Say(note);
  }
  const bool is_estimated = summary->FindMetric("untimed_visits") != archive::kNone;
  FindWrongValues(*summary, archive.is_directory && !archive.manifest.ended.empty() && !is_estimated, findings);
}

// Tells of each location of the summary whether its process has a trace: EPK_TRACE=ranks: may leave processes out.
std::vector<bool> TracedLocations(const Profile& summary, const TraceArchive& traces) {
  std::set<int> ranks;
  for (const auto& process : traces.processes()) ranks.insert(process->map.rank);
  std::vector<bool> traced;
  for (const archive::Location& location : summary.locations) {
    traced.push_back(ranks.contains(summary.processes[location.process].rank));
  }
  return traced;
}

// The call that was open when the measurement of a killed process ended. The summary has this call, but no trace has
// its end. There the calls around it have its time.
class InFlight {
 public:
  InFlight(const Profile& summary, bool killed) : summary_(summary) {
    if (killed) unfinished_ = summary.FindMetric("unfinished");
  }
  bool Has(uint32_t path, uint32_t location) const {
    if (unfinished_ == archive::kNone) return false;
    const bool outermost = summary_.call_paths[path].parent == archive::kNone;
    return outermost || summary_.values[unfinished_].Integer(path, location) != 0;
  }

 private:
  const Profile& summary_;
  uint32_t unfinished_ = archive::kNone;
};

// The summary counts times that no trace has: after a thread's last event, when the thread may be idle, and in the
// measurement itself.
bool IsOfSummary(const Profile& summary, uint32_t path) {
  const archive::CallPath& call = summary.call_paths[path];
  const archive::Region& region = summary.regions[call.region];
  const bool is_ours = region.role == "artificial" && (region.name == "measurement" || region.name == "idle");
  return call.parent == archive::kNone || is_ours;
}

void Compare(const Profile& summary, const Profile& trace, const InFlight& in_flight,
             const std::set<std::string>& counters, const std::vector<bool>& traced, Findings* findings) {
  if (summary.call_paths != trace.call_paths || summary.locations.size() != trace.locations.size()) {
    findings->Add("the trace and the summary have different call paths or threads");
    return;
  }
  uint64_t values = 0;
  for (uint32_t m = 0; m < trace.metrics.size(); ++m) {
    const std::string& name = trace.metrics[m].unique_name;
    const uint32_t other = summary.FindMetric(name);
    // The unfinished visits depend on how the run ended, and imbalance is computed from values that are compared here.
    if (other == archive::kNone || name == "unfinished" || archive::Imbalance::IsOne(name) ||
        summary.metrics[other].type != trace.metrics[m].type)
      continue;
    const bool is_counter = counters.contains(name);
    const bool exact = name == "time" || name == "min_time" || name == "max_time";
    for (uint32_t p = 0; p < summary.call_paths.size(); ++p) {
      for (uint32_t l = 0; l < summary.locations.size(); ++l) {
        const archive::Values& expected = summary.values[other];
        const archive::Values& found = trace.values[m];
        if (!traced[l] || in_flight.Has(p, l) || (is_counter && IsOfSummary(summary, p))) continue;
        ++values;
        if (IsSame(trace.metrics[m].type, expected, found, p, l, exact)) continue;
        findings->Add(name + " of " + summary.PathName(p) + " on " + PlaceOf(summary, l) + ": " +
                      Shown(expected.Real(p, l)) + " in the summary, " + Shown(found.Real(p, l)) + " in the trace");
      }
    }
  }
  for (uint32_t m = 0; m < summary.metrics.size(); ++m) {
    const std::string& name = summary.metrics[m].unique_name;
    if (!archive::IsTraffic(name) || trace.FindMetric(name) != archive::kNone) continue;
    for (uint32_t p = 0; p < summary.call_paths.size(); ++p) {
      if (!summary.values[m].Has(p)) continue;
      findings->Add(name + " of " + summary.PathName(p) + " is in the summary and not in the trace");
      break;
    }
  }
  std::printf("trace and summary: %llu values compared\n", static_cast<unsigned long long>(values));
}

int CheckArchive(CheckOptions options) {
  options.archive =
      options.compare ? NamedOrNewestMeasured(options.archive, "check", true) : NamedOrNewest(options.archive, "check");
  archive::Archive archive;
  std::string error;
  if (!archive::Open(options.archive, &archive, &error)) throw Fault(error);
  Findings findings;
  Profile summary;
  const bool has_summary = !archive.summary_path.empty();
  if (has_summary) CheckSummary(archive, &summary, &findings);
  const bool has_trace = std::filesystem::exists(std::filesystem::path(archive.path) / archive::kMapsName);
  FindMissing(archive, has_trace, &findings);
  if (options.compare && !(has_trace && has_summary)) {
    throw Fault(options.archive + ": has no " + (has_trace ? "summary" : "trace") + " to compare");
  }
  if (options.compare) RefuseIncomplete(options.archive, archive);
  uint64_t events = 0;
  if (has_trace || (archive.manifest.trace.there && archive.manifest.trace.format == "epilog")) {
    TraceArchive traces;
    if (!traces.Open(archive.path, &error)) throw Fault(error);
    for (const std::string& problem : traces.problems()) findings.Add(problem);
    bool switched = false;
    for (const TraceArchive::Stream& stream : traces.streams())
      events += CheckStream(traces, stream, &findings, &switched);
    if (options.compare && switched) {
      throw Fault(options.archive + ": the trace was switched off for a time: there is no whole one to compare");
    }
    if (options.compare && findings.count() == 0) {
      Profile trace;
      std::vector<std::string> problems;
      if (!archive::ProfileOfTrace(traces, &trace, &problems, &error)) throw Fault(error);
      Compare(summary, trace, InFlight(summary, archive.manifest.recovered), archive::CountersOf(traces),
              TracedLocations(summary, traces), &findings);
    }
  }
  Say(options.archive + ": " + view::Plural(events, "event") + ", " +
      view::Plural(summary.call_paths.size(), "call path") + ": " +
      (findings.count() == 0 ? "nothing is wrong" : view::Plural(findings.count(), "finding")));
  return findings.count() == 0 ? kDone : kFault;
}

}  // namespace

void AddCheck(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CheckOptions>();
  app.AddOption("archive", options->archive,
                "An epik_* directory (default: the newest here; with --trace-vs-summary, the newest with a trace)");
  app.AddFlag("--trace-vs-summary", options->compare, "Compare the profile of the trace with the summary");
  app.Footer(kCheckManual);
  run = [options] { return CheckArchive(*options); };
}

}  // namespace epik::epk
