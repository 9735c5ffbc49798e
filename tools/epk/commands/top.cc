// SPDX-License-Identifier: BSD-3-Clause
// epk top: watches a running program from outside.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "tools/epk/command.h"
#include "tools/top/screen.h"
#include "tools/top/show.h"
#include "tools/top/watch.h"
#include "view/terminal.h"

namespace epik::epk {
namespace {

using top::Picture;
using top::Screen;
using top::ShowOptions;
using top::Sort;
using top::Watch;

constexpr char kTopManual[] = R"(
SYNOPSIS
    epk top [OPTION]... [PID|ARCHIVE]

DESCRIPTION
  Shows where a running program is and where its time goes, again and again: the call paths that took most time of
  their own since the last refresh, what they took in all, how often they are called, what measuring costs, and what
  each thread is doing.

  Name the program by its process number or by the folder `epik_PROGRAM.PID.unfinished` that it writes to. In the
  folder's name, a job of MPI has the launcher's name of the job in place of PID: `epik_solver.ompi148307969.unfinished`.
  When nothing is named, it watches the only program that runs in this folder. A folder stands for all processes of a
  job that run on this machine: a call path is one line for all of them, and threads are named RANK:THREAD. A process
  number stands for that process alone. The program must have been started under measurement. epk top reads the memory
  that the program shares with that folder: the program does nothing for it and does not notice.

  Calls that have not returned count up to now. The percentages are of the time of all threads together; the cost of
  measuring is a share of the CPU time, as at the end of the run. When a process of a job ends, its figures are taken
  off.

KEYS
    q        quit
    e i v n  sort by exclusive time, inclusive time, visits, name
    t        call paths, regions, threads in turn
    + -      refresh more often, less often
    space    freeze and go on
    ?        help

EXAMPLES
    epk top
    epk top 4711 --sort visits
    epk top --once --format json 4711

EXIT STATUS
  0 when the program was watched until it ended or q was typed, 1 when there was nothing to watch.

SEE ALSO
  epk-run(1), epk-report(1), epk-recover(1)
)";

struct TopOptions {
  std::string what;
  bool once = false;
  double interval = 1;
  std::string format = "text";
  std::string sort = "exclusive";
  size_t top = 20;
};

Picture Take(Watch* watch) {
  Picture picture;
  std::string error;
  if (!watch->Take(&picture, &error)) throw Fault(error);
  return picture;
}

int End(const Watch& watch) {
  fprintf(stderr, "epk top: %s\n", watch.Afterwards().c_str());
  return kDone;
}

// Waits, but not longer than the program runs.
bool RunsOn(const Watch& watch, double seconds) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!watch.HasEnded()) {
    const std::chrono::duration<double> left = until - std::chrono::steady_clock::now();
    if (left.count() <= 0) return true;
    std::this_thread::sleep_for(std::min(left, std::chrono::duration<double>(0.1)));
  }
  return false;
}

// One sample after the other, as text or as lines of JSON.
int Print(Watch* watch, const TopOptions& options, ShowOptions show) {
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  Take(watch);
  show.title = watch->Program();
  for (bool runs = true; runs;) {
    runs = RunsOn(*watch, options.interval);
    const Picture picture = Take(watch);
    const std::string text =
        options.format == "json" ? top::ShowJson(picture, show) : top::ShowText(picture, show, terminal) + "\n";
    if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
      throw Fault("cannot write to standard output");
    }
    if (options.once) return runs ? kDone : End(*watch);
  }
  return End(*watch);
}

// False: quit.
bool Obey(int key, ShowOptions* show) {
  constexpr double kShortest = 0.1, kLongest = 60;
  switch (key) {
    case 'q': return false;
    case 'e': show->sort = Sort::kExclusive; break;
    case 'i': show->sort = Sort::kInclusive; break;
    case 'v': show->sort = Sort::kVisits; break;
    case 'n': show->sort = Sort::kName; break;
    case 't':
      show->view = show->view == top::View::kPaths     ? top::View::kRegions
                   : show->view == top::View::kRegions ? top::View::kThreads
                                                       : top::View::kPaths;
      break;
    case '+': show->interval = std::max(kShortest, show->interval / 2); break;
    case '-': show->interval = std::min(kLongest, show->interval * 2); break;
    case ' ': show->frozen = !show->frozen; break;
    case '?': show->help = !show->help; break;
    default: break;
  }
  return true;
}

bool Look(Watch* watch, ShowOptions show) {
  using Clock = std::chrono::steady_clock;
  Screen screen;
  Picture picture = Take(watch);
  show.title = watch->Program();
  auto taken = Clock::now();
  for (;;) {
    show.height = Screen::Height();
    screen.Show(top::ShowText(picture, show, view::DetectTerminal(STDOUT_FILENO)));
    const std::chrono::duration<double> since = Clock::now() - taken;
    const int key = screen.Wait(show.interval - since.count());
    if (key == Screen::kEnd || !Obey(key, &show)) return false;
    if (watch->HasEnded()) return true;
    if (key != Screen::kTimeout) continue;
    taken = Clock::now();
    if (!show.frozen) picture = Take(watch);
  }
}

int Top(const TopOptions& options) {
  std::string error;
  const std::unique_ptr<Watch> watch = Watch::Open(options.what, &error);
  if (watch == nullptr) throw Fault(error);
  const std::map<std::string, Sort> sorts = {{"exclusive", Sort::kExclusive},
                                             {"inclusive", Sort::kInclusive},
                                             {"visits", Sort::kVisits},
                                             {"name", Sort::kName}};
  ShowOptions show;
  show.sort = sorts.at(options.sort);
  show.top = options.top;
  show.interval = options.interval;
  const bool live = !options.once && options.format == "text" && Screen::IsThere();
  if (!live) return Print(watch.get(), options, show);
  show.top = 0;  // as many as fit
  return Look(watch.get(), show) ? End(*watch) : kDone;
}

}  // namespace

void AddTop(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<TopOptions>();
  app.AddOption("what", options->what, "process number, or the unfinished archive of a running program or job")
      .TypeName("PID|ARCHIVE");
  app.AddFlag("--once", options->once, "watch for one interval, print, and leave");
  app.AddOption("--interval", options->interval, "seconds between refreshes (default: 1)")
      .TypeName("SECONDS")
      .Check(NumberFrom(0.05, 3600));
  app.AddOption("--format", options->format, "text or json: an object for each refresh, one a line")
      .OneOf({"text", "json"});
  app.AddOption("--sort", options->sort, "exclusive, inclusive, visits or name")
      .OneOf({"exclusive", "inclusive", "visits", "name"});
  app.AddOption("--top", options->top, "show so many call paths (default: 20; 0: all)").TypeName("N").Check(WhyNoCount);
  app.Footer(kTopManual);
  run = [options] { return Top(*options); };
}

}  // namespace epik::epk
