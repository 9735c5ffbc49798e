// SPDX-License-Identifier: BSD-3-Clause
// epk history: shows a program's figures over many runs.
#include "analysis/history/history.h"

#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/history/show.h"
#include "tools/epk/command.h"
#include "tools/epk/output.h"

namespace epik::epk {
namespace {

constexpr char kHistoryManual[] = R"(
DESCRIPTION
  Shows how a program's figures developed from run to run: wall and CPU time, computation, MPI, waiting in OpenMP,
  efficiencies, the cost of measuring, and the time in the regions that take most. Runs are compared when title (or
  program), ranks, threads and class of host are the same; numbers in a host's name do not count. They stand in the
  order in which they were started, with the git revision they were started in.

  A trend is the median change from run to run, with the probability that chance alone orders runs like that. A star
  marks the first run of a new level: the means before and after it differ by more than runs do among themselves. So
  you find the commit that made a program slower.

  A directory stands for all archives in it, however deep: the artefacts of a CI job.

EXAMPLES
    epk history ci-archives/
    epk history epik_solver_* --format json
    epk history ci-archives/ --format html -o history.html

EXIT STATUS
  0 when there was at least one run, 1 when there was none, or when an archive cannot be read: the others are shown. 2
  for wrong usage.

SEE ALSO
  epk-diff(1), epk-report(1)
)";

struct HistoryOptions {
  std::vector<std::string> paths = {"."};
  std::string format = "text", output;
  size_t regions = 5;
  bool ascii = false;
};

int ShowHistory(const HistoryOptions& options) {
  analysis::History history;
  std::string error;
  // All runs are read before the output is opened: if no archive can be read, an older FILE stays.
  if (!ReadHistory(options.paths, options.regions, &history, &error)) throw Fault(error);
  view::Terminal terminal = view::DetectTerminal(options.output.empty() ? STDOUT_FILENO : -1);  // no colours in files
  if (options.ascii) terminal.unicode = false;
  // No format can fail here. WriteOutput itself reports what cannot be written.
  WriteOutput(options.output, [&](const report::Sink& sink, std::string*) {
    if (options.format == "json") {
      report::ShowHistoryJson(history, sink);
    } else if (options.format == "html") {
      report::ShowHistoryHtml(history, sink);
    } else {
      report::ShowHistoryText(history, terminal, sink);
    }
    return true;
  });
  return history.has_all ? kDone : kFault;
}

}  // namespace

void AddHistory(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<HistoryOptions>();
  app.AddOption("archives", options->paths, "archives, and directories with archives in them (default: .)")
      .TypeName("ARCHIVE");
  app.AddOption("--regions", options->regions, "figures for so many regions with the most time (default: 5)")
      .TypeName("N");
  app.AddOption("--format", options->format, "text, json or html").OneOf({"text", "json", "html"});
  app.AddOption("-o,--output", options->output, "write into this file").TypeName("FILE");
  app.AddFlag("--ascii", options->ascii, "ASCII only");
  app.Footer(kHistoryManual);
  run = [options] { return ShowHistory(*options); };
}

}  // namespace epik::epk
