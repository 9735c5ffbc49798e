// SPDX-License-Identifier: BSD-3-Clause
#include "archive/close/digest.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <numeric>

#include "archive/files/cost_text.h"
#include "archive/profile/absence.h"
#include "runtime/abi/runner.h"
#include "view/name.h"
#include "view/number.h"
#include "view/prose.h"
#include "view/shell.h"
#include "view/terminal.h"

namespace epik::archive {
namespace {

// The screen on which the lines are read: standard error, wherever it leads.
view::Terminal Screen() {
  view::Terminal screen;
  screen.unicode = view::LocaleIsUtf8(/*otherwise=*/false);
  return screen;
}

std::string Duration(double seconds) { return view::Seconds(seconds, Screen().unicode); }

// The regions with most exclusive time, over all locations.
std::string Hottest(const Profile& profile, const std::vector<double>& time) {
  std::vector<double> by_region(profile.regions.size());
  for (size_t p = 0; p < time.size(); ++p) by_region[profile.call_paths[p].region] += time[p];
  const double total = std::accumulate(by_region.begin(), by_region.end(), 0.0);
  std::vector<uint32_t> order(by_region.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return by_region[a] > by_region[b]; });
  std::vector<std::string_view> names;
  while (names.size() < order.size() && names.size() < 3 && total > 0 &&
         by_region[order[names.size()]] > 0.01 * total) {
    names.push_back(profile.regions[order[names.size()]].name);
  }
  const std::vector<std::string> shown = view::ShortNames(names, 40, Screen());
  std::string text;
  for (size_t i = 0; i < shown.size(); ++i) {
    text += (text.empty() ? "" : ", ") + shown[i] + " " + view::Share(by_region[order[i]] / total);
  }
  return text;
}

// How the run ended, in words; empty for a normal end.
std::string Ended(const Manifest& manifest) {
  if (manifest.ended == "exit") return "";
  if (manifest.ended == "signal") return ", ended by " + manifest.ended_detail;
  if (manifest.ended == "abort") return ", aborted";
  if (manifest.ended == "exec") return ", replaced by exec";
  if (manifest.ended == "running") return ", still running";
  if (manifest.ended == "killed") return ", killed " + manifest.ended_detail;
  return ", ended by " + manifest.ended + " with " + manifest.ended_detail;
}

bool Has(const Manifest& manifest, std::initializer_list<const char*> libraries) {
  for (const Manifest::Module& module : manifest.modules) {
    const std::string name = module.path.substr(module.path.find_last_of('/') + 1);
    for (const char* library : libraries) {
      if (name.compare(0, std::strlen(library), library) == 0) return true;
    }
  }
  return false;
}

// The MPI calls and OpenMP regions that the adapters saw; empty for a program that uses neither.
std::string Seen(const Manifest& manifest) {
  const bool mpi = Has(manifest, {"libmpi.so", "libmpich.so"});
  const bool openmp = Has(manifest, {"libgomp.so", "libomp.so", "libiomp5.so"});
  std::string text;
  if (mpi || manifest.mpi_calls != 0) {
    // MPICH's Fortran calls the functions of C, so only Open MPI's wrappers tell both apart.
    text = "MPI: " + view::Plural(manifest.mpi_calls, "call");
    if (manifest.mpi_fortran_calls != 0)
      text += ", " + view::Count(manifest.mpi_fortran_calls) + " by Fortran's wrappers";
    if (manifest.mpi_calls == 0) text += " (the library is loaded, but no call was seen)";
  }
  if (openmp || manifest.openmp_regions != 0) {
    text += (text.empty() ? "OpenMP: " : "; OpenMP: ") + view::Plural(manifest.openmp_regions, "region", "regions");
  }
  return text;
}

// The number of processes that a launcher of MPI started together; 1 when no launcher tells one.
long StartedTogether() {
  long most = 1;
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* value = std::getenv(name);
    if (value != nullptr) most = std::max(most, std::strtol(value, nullptr, 10));
  }
  return most;
}

// Explains why each process of a job has an archive of its own, and how to change that.
std::string Apart(const Manifest& manifest) {
  const long processes = StartedTogether();
  const bool is_job = processes > 1 && manifest.ranks <= 1 && !manifest.recovered;
  if (!is_job || !Has(manifest, {"libmpi.so", "libmpich.so"})) return "";
  const std::string start = "one of " + std::to_string(processes) + " processes, each with an archive of its own: ";
  if (manifest.mpi_calls == 0) {
    return start +
           "EPIK's library for MPI was not loaded; start them with `epk run mpirun ...`, or link by `epk instrument`";
  }
  if (manifest.ended == "exit" && manifest.ended_detail != "MPI_Finalize") {
    return start + "it ended without MPI_Finalize; MPI_Init joins processes, and sessions (MPI_Session_init) do not";
  }
  return start + "each was alone to MPI; is the mpirun of another MPI than the program?";
}

// Empty without a trace.
std::string Traced(const Manifest& manifest) {
  const Manifest::Trace& trace = manifest.trace;
  if (!trace.there) return "";
  std::string text =
      "trace: " + view::Plural(trace.events, "event", "events") + ", " + view::Bytes(static_cast<double>(trace.bytes));
  if (manifest.ranks > 1) {
    text += ", most in rank " + std::to_string(trace.largest_rank) + " (" +
            view::Bytes(static_cast<double>(trace.largest_bytes)) + ")";
  }
  if (trace.flushes != 0)
    text +=
        ", " + view::Plural(trace.flushes, "flush", "flushes") + " while it ran (a larger ELG_BUFFER_SIZE avoids that)";
  // Records of communication count as events of the trace, but not as calls, so the sentence says "about".
  const uint64_t there = trace.events + trace.lost;
  if (manifest.events > there + there / 100 + 2) {
    text += ", about " + view::Plural(manifest.events - there, "event", "events") + " left out by EPK_TRACE";
  }
  if (trace.lost != 0) text += ", " + view::Plural(trace.lost, "event", "events") + " lost";
  return text;
}

// Empty unless some processes had a counter and others had not. A counter that no process had was reported when the job
// began.
std::string Absent(const Profile& profile) {
  std::string text;
  for (const Metric& metric : profile.metrics) {
    const Absence absence = ReadAbsence(metric.description);
    if (!absence.IsPartial()) continue;
    std::string ranks = RanksText(absence.ranks);
    if (ranks.size() > 40) ranks = ranks.substr(0, ranks.rfind(',', 40)) + ",...";
    text += (text.empty() ? "" : "; ") + metric.unique_name + " is n/a on ranks " + ranks + ": " + absence.why;
  }
  return text;
}

std::string Relative(const std::string& path) {
  if (path.compare(0, 2, "./") == 0) return path.substr(2);
  char folder[PATH_MAX];
  if (getcwd(folder, sizeof folder) == nullptr) return path;
  const std::string prefix = std::string(folder) + "/";
  return path.compare(0, prefix.size(), prefix) == 0 ? path.substr(prefix.size()) : path;
}

}  // namespace

std::vector<std::string> Digest(const std::string& path, const Profile& profile, const std::vector<double>& time,
                                const Manifest& manifest, bool kept, uint64_t lines_left_out) {
  std::vector<std::string> lines;
  const std::string shown = view::InShell(Relative(path));
  lines.push_back(shown + ": " + view::Plural(static_cast<uint64_t>(manifest.ranks), "process", "processes") + " x " +
                  view::Plural(static_cast<uint64_t>(manifest.threads), "thread", "threads") + ", " +
                  Duration(manifest.wall_seconds) + ", " + view::Plural(manifest.events / 2, "call", "calls") + " on " +
                  view::Plural(profile.call_paths.size(), "call path", "call paths") + Ended(manifest));
  std::string own;  // beside the time of events, if it would be missed
  if (manifest.own_seconds > 0.01 * manifest.wall_seconds) {
    own = ", " + OwnWorkInWords(manifest) + " " + Duration(manifest.own_seconds);
  }
  const bool unicode = Screen().unicode;
  const std::string without = WithoutItInWords(manifest, unicode);
  lines.push_back("measuring took " + CostInWords(manifest, unicode) + own + (without.empty() ? "" : "; " + without));
  const std::string oversubscribed = OversubscribedInWords(manifest);
  if (!oversubscribed.empty()) lines.push_back(oversubscribed);
  const std::string traced = Traced(manifest);
  if (!traced.empty()) lines.push_back(traced);
  const std::string seen = Seen(manifest);
  if (!seen.empty()) lines.push_back(seen);
  const std::string apart = Apart(manifest);
  if (!apart.empty()) lines.push_back(apart);
  const std::string absent = Absent(profile);
  if (!absent.empty()) lines.push_back(absent);
  const std::string hottest = Hottest(profile, time);
  if (!hottest.empty()) {
    lines.push_back("most time in: " + hottest + (kept ? "" : "; EPK_SUMMARY=no: reports see only what was logged"));
  }
  if (lines_left_out != 0) {
    lines.push_back("no lines yet for " + view::Plural(lines_left_out, "function", "functions") +
                    ", to end sooner: epk resolve --lines " + shown);
  }
  const bool waits = manifest.ranks > 1 || manifest.threads > 1;
  const bool can_tell = manifest.trace.there && manifest.trace.events != 0 &&
                        manifest.trace.format == Manifest().trace.format && std::getenv(kAnalysedByRunner) == nullptr;
  lines.push_back("next: epk report " + shown +
                  (waits && can_tell ? ", or for who waits for whom: epk analyze " + shown : ""));
  return lines;
}

std::string OnScreen(const std::string& line) {
  if (isatty(STDERR_FILENO) == 0) return line + "\n";
  constexpr size_t kSpeaker = 7, kIndent = 2;
  const size_t width = view::DetectTerminal(STDERR_FILENO).width;
  return view::Wrapped("", line, kIndent, width > kSpeaker ? width - kSpeaker : 1);
}

}  // namespace epik::archive
