// SPDX-License-Identifier: BSD-3-Clause
// epk run: starts a program under measurement, and says where its archive is.
#include "tools/launch/run.h"

#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>

#include "analysis/patterns/analysis.h"
#include "archive/close/recover.h"
#include "runtime/abi/runner.h"
#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"
#include "tools/epk/message.h"
#include "view/shell.h"

namespace epik::epk {
namespace {

constexpr char kRunManual[] = R"(
SYNOPSIS
    epk run [OPTIONS] [--] PROGRAM ARGUMENTS...
    epk run [OPTIONS] mpirun -n 4 PROGRAM ARGUMENTS...

DESCRIPTION
  Looks at what the program is linked to, loads the libraries that measure it where they are not linked already,
  starts it, and waits. The program is found behind mpirun, mpiexec, srun, aprun, jsrun and behind env, numactl,
  taskset, nice, time, timeout and stdbuf. It hands variables and libraries on to other hosts in the way that the
  launcher wants.

  With `--analyze` the archive's trace is analysed at the end (epk-analyze(1)); unless EPK_TRACE or `-t` says otherwise,
  EPK_TRACE is `comm` then. Of a command that makes many archives, 32 are analysed; a command for the others is printed.

  Afterwards it names the archive. When the program was killed, it saves what was measured until then; when nothing
  was measured, it tells why.

  The options set variables for the program: `-t` EPK_TRACE, `--title` EPK_TITLE, `-o` EPK_GDIR, `-f` EPK_FILTER, `-m`
  EPK_METRICS. Variables that are set already in the environment hold, too.

EXAMPLES
    epk run ./solver input.dat
    epk run -t comm --title first mpirun -n 4 ./solver
    epk run -n mpirun -n 4 ./solver
    epk run --analyze mpirun -n 4 ./solver

EXIT STATUS
  The exit status is the program's. When a signal killed the program, epk run dies of the same signal. 127 when the
  program is not found, 126 when it cannot be executed, 2 when the options are wrong.

SEE ALSO
  epk-instrument(1), epk-report(1), epk-recover(1)
)";

// Makes an archive of the arenas that a killed process left. Returns its path, or nothing when that failed.
std::string Recover(const std::string& unfinished, int signal) {
  archive::RecoverOptions options;
  options.signal = signal;
  options.dead_elsewhere = true;  // the launcher has ended
  archive::WriteResult result;
  std::string error;
  archive::Recovered recovered = archive::Recover(unfinished, options, &result, &error);
  // A launcher may have gone before the last of the processes it killed.
  constexpr int kStepMs = 50, kPatienceMs = 5'000;
  for (int waited = 0; recovered == archive::Recovered::kStillRunning && waited < kPatienceMs; waited += kStepMs) {
    poll(nullptr, 0, kStepMs);
    recovered = archive::Recover(unfinished, options, &result, &error);
  }
  if (recovered == archive::Recovered::kAlreadyComplete) return "";  // one of the processes published the archive
  if (recovered == archive::Recovered::kNothing) return "";
  if (recovered != archive::Recovered::kYes) {
    TellUser("run", error);
    return "";
  }
  for (const std::string& line : result.digest) fputs(Message("[EPIK]", line).c_str(), stderr);
  if (!result.damage.empty()) TellUser("run", result.damage);
  return result.path;
}

// An error of the analysis is no failure of the program.
void AnalyzeTrace(const std::string& archive) {
  patterns::Analysis analysis;
  std::string error;
  if (!patterns::Analyze(archive, {.threads = 0}, nullptr, &analysis, &error) ||
      !patterns::WriteAnalysis(archive, analysis, &error)) {
    TellUser("run", "the trace of " + archive + " is not analysed: " + error);
    return;
  }
  for (const std::string& line : patterns::SayUnmatched(analysis)) TellUser("run", line);
  TellUser("run", "the trace is analysed; epk report " + view::InShell(archive) + " shows why processes waited");
}

}  // namespace

void AddRun(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<launch::Options>();
  launch::DeclareOptions(app, *options);
  auto analyze = std::make_shared<bool>(false);
  app.AddFlag("--analyze", *analyze, "analyse the trace when the program has ended");
  app.Footer(kRunManual);
  run = [&app, options, analyze] {
    if (*analyze && options->trace.empty() && std::getenv("EPK_TRACE") == nullptr) options->trace = "comm";
    if (options->library_dirs.empty()) {
      for (const auto& folder : FindInstallDirs().libraries) options->library_dirs.push_back(folder.string());
    }
    if (*analyze && !options->dry_run) setenv(kAnalysedByRunner, "yes", 1);
    return launch::Run(app.rest(), *options, launch::Callbacks{Recover, *analyze ? AnalyzeTrace : nullptr});
  };
}

}  // namespace epik::epk
