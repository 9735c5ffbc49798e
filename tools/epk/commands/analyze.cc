// SPDX-License-Identifier: BSD-3-Clause
// epk analyze: replays a trace and finds which calls waited, and for which others.
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

#include "analysis/drivers/helpers.h"
#include "analysis/drivers/launch.h"
#include "analysis/patterns/analysis.h"
#include "analysis/replay/archive_world.h"
#include "tools/epk/archives_here.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "view/number.h"
#include "view/shell.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

constexpr char kAnalyzeManual[] = R"(
DESCRIPTION
  Replays the trace of an archive: matches sends with receives and the parts of collective operations, and finds who
  waited for whom. Adds `trace.cubex` (the profile of the trace, with a metric for each wait state, named as Scalasca
  names them) and `analysis.json` to the archive. It replaces an earlier analysis.

  The work is shared among the processors of this machine, or the processes that a launcher of MPI programs starts, in
  any number: `mpirun -n 8 epk analyze A`. The analysis is the same. Rank 0 writes it and reports. If one of them dies,
  or is silent for a minute, the analysis ends with a message that names it, and writes nothing.

  It analyses traces of any EPK_TRACE as far as they tell, also those of killed runs and of some ranks only. Standard
  error and `analysis.json` count the events that could not be matched, by kind and reason; the exit status is 0 all
  the same.

EXAMPLES
    EPK_TRACE=comm epk run mpirun -n 4 ./solver
    epk analyze
    epk report epik_solver_4x1_trace --waits
    epk report epik_solver_4x1_trace --waits --format csv
    mpirun -n 4 epk analyze epik_solver_4x1_trace

SEE ALSO
  epk-report(1), epk-print(1)
)";

struct AnalyzeOptions {
  std::string archive;
  unsigned threads = 0;
};

void SayClocks(const patterns::ClockFacts& clocks) {
  if (clocks.Violations() == 0) return;
  const bool unicode = view::DetectTerminal(STDERR_FILENO).unicode;
  const auto seconds = [&](int64_t ns) { return view::Seconds(static_cast<double>(ns) * 1e-9, unicode); };
  fprintf(stderr, "epk analyze: clocks: %s, by %s at most; times are moved by up to %s",
          view::Plural(clocks.Violations(), "event comes before what it depends on",
                       "events come before what they depend on")
              .c_str(),
          seconds(clocks.worst_ns).c_str(), seconds(clocks.largest_correction_ns).c_str());
  fprintf(stderr, clocks.left == 0 ? "\n" : ", and %llu are left\n", static_cast<unsigned long long>(clocks.left));
}

// How long processes of a launch wait for each other: the first process for the others, and they for the first.
constexpr std::chrono::seconds kGatherPatience(10), kJoinPatience(20);

int Analyze(const AnalyzeOptions& options, drivers::Helpers* helpers) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  patterns::Analysis analysis;
  std::string error;
  const auto progress = [&](uint64_t events) {
    if (terminal)
      fprintf(stderr, "\repk analyze: %llu million events", static_cast<unsigned long long>(events / 1'000'000));
  };
  bool done = false;
  try {
    done = patterns::Analyze(options.archive, {options.threads, helpers}, progress, &analysis, &error) &&
           patterns::WriteAnalysis(options.archive, analysis, &error);
  } catch (const std::exception& problem) {
    error = ReasonOf(problem);
  }
  if (terminal) fprintf(stderr, "\r\033[K");
  if (!done) {
    TellUser("analyze", error);
    return 1;
  }
  for (const std::string& problem : analysis.problems) TellUser("analyze", problem);
  for (const std::string& line : patterns::SayUnmatched(analysis)) TellUser("analyze", line);
  const std::string missing = replay::WhatWasNotLogged(analysis.selection);
  if (!missing.empty()) TellUser("analyze", missing);
  SayClocks(analysis.clocks);
  if (terminal) TellUser("analyze", "done; next: epk report " + view::InShell(options.archive));
  return 0;
}

bool IsNewerThan(const std::string& file, const timespec& moment) {
  struct stat known {};
  return stat(file.c_str(), &known) == 0 &&
         std::pair(known.st_mtim.tv_sec, known.st_mtim.tv_nsec) >= std::pair(moment.tv_sec, moment.tv_nsec);
}

int HelpRankZero(const AnalyzeOptions& options, const drivers::Launch& launch) {
  timespec begin{};
  clock_gettime(CLOCK_REALTIME_COARSE, &begin);
  if (launch.key.empty()) return 0;  // this launch cannot be told from others: rank 0 works alone
  drivers::Link link = drivers::Join(launch, options.archive, kJoinPatience);
  try {
    if (link.is_open()) return drivers::HelpToRead(&link, options.archive);
  } catch (const std::exception& problem) {
    TellUser("analyze", ReasonOf(problem) + "; rank " + std::to_string(launch.rank) + " gives up");
    return 1;
  }
  if (IsNewerThan(options.archive + "/" + patterns::kAnalysisName, begin)) return 0;  // too late
  fprintf(stderr, "epk analyze: rank %d met no rank 0 of its launch and did nothing\n", launch.rank);
  return 1;
}

int AnalyzeTogether(const AnalyzeOptions& options) {
  const drivers::Launch launch = drivers::FindLaunch([](const char* name) -> const char* { return getenv(name); });
  if (launch.rank > 0) return HelpRankZero(options, launch);
  if (launch.size == 1) return Analyze(options, nullptr);
  drivers::Helpers helpers(drivers::Gather(launch, options.archive, kGatherPatience));
  const int status = Analyze(options, helpers.IsEmpty() ? nullptr : &helpers);
  helpers.Dismiss(status);
  return status;
}

}  // namespace

void AddAnalyze(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<AnalyzeOptions>();
  app.AddOption("archive", options->archive, "An epik_* directory with a trace (default: the newest here)");
  app.AddOption("-j,--threads", options->threads, "Threads of this process (default: as many as pay)")
      .Check(WholeNumberFrom(1, 4096));
  app.Footer(kAnalyzeManual);
  run = [options] {
    options->archive = NamedOrNewestMeasured(options->archive, "analyze", true);
    return AnalyzeTogether(*options);
  };
}

}  // namespace epik::epk
