// SPDX-License-Identifier: BSD-3-Clause
// epk analyze: replays a trace and says who waited, for whom it can say that.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "analysis/patterns/analysis.h"
#include "tools/epk/command.h"
#include "view/number.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

constexpr char kManual[] = R"(
DESCRIPTION
  Replays the trace of an archive: matches sends with receives and the parts of collective operations, and finds who
  waited for whom. Adds `trace.cubex` (the profile of the trace, with a metric for each wait state, named as Scalasca
  names them) and `analysis.json` to the archive. An analysis that was there is replaced.

  Traces of any EPK_TRACE are analysed as far as they tell, also of killed runs and of some ranks only. What could not be
  matched is counted by kind and reason on standard error and in `analysis.json`; the exit status is 0 all the same.

EXAMPLES
    EPK_TRACE=comm epk run mpirun -n 4 ./solver
    epk analyze epik_solver_4x1_trace
    epk report epik_solver_4x1_trace --waits
    epk report epik_solver_4x1_trace --waits --format csv

SEE ALSO
  epk-report(1), epk-print(1)
)";

struct Options {
  std::string archive;
};

int Analyze(const Options& options) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  patterns::Analysis analysis;
  std::string error;
  const auto progress = [&](uint64_t events) {
    if (terminal) fprintf(stderr, "\repk analyze: %llu million events", static_cast<unsigned long long>(events >> 20));
  };
  const bool done = patterns::Analyze(options.archive, progress, &analysis, &error) &&
                    patterns::WriteAnalysis(options.archive, analysis, &error);
  if (terminal) fprintf(stderr, "\r\033[K");
  if (!done) {
    fprintf(stderr, "epk analyze: %s\n", error.c_str());
    return 1;
  }
  for (const std::string& problem : analysis.problems) fprintf(stderr, "epk analyze: %s\n", problem.c_str());
  for (const std::string& line : patterns::SayUnmatched(analysis)) fprintf(stderr, "epk analyze: %s\n", line.c_str());
  if (analysis.totals.violations > 0) {
    const auto worst = static_cast<double>(analysis.totals.worst_violation_ns) * 1e-9;
    fprintf(stderr, "epk analyze: clocks: %s come before what they depend on, by %s at most\n",
            view::Plural(analysis.totals.violations, "event").c_str(),
            view::Seconds(worst, view::DetectTerminal(STDERR_FILENO).unicode).c_str());
  }
  return 0;
}

}  // namespace

void AddAnalyze(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  app.add_option("archive", options->archive, "An epik_* directory with a trace")->required();
  app.footer(kManual);
  run = [options] { return Analyze(*options); };
}

}  // namespace epik::epk
