// SPDX-License-Identifier: BSD-3-Clause
// epk top: a running program, watched from the outside.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include "runtime/archive/archive.h"
#include "tools/epk/command.h"
#include "tools/epk/view/terminal.h"
#include "tools/top/arena_file.h"
#include "tools/top/names.h"
#include "tools/top/proc.h"
#include "tools/top/sampler.h"
#include "tools/top/screen.h"
#include "tools/top/show.h"
#include "tools/top/target.h"

namespace epik::epk {
namespace {

using top::Sample;
using top::Screen;
using top::ShowOptions;
using top::Sort;
using top::View;

constexpr char kManual[] = R"(
SYNOPSIS
    epk top [OPTION]... [PID|ARCHIVE]

DESCRIPTION
  Shows where a running program is and where its time goes, again and again: the call paths that took most time of
  their own since the last refresh, what they took in all, how often they are called, what measuring costs, and what
  each thread is doing.

  The program is named by its process number or by the folder `epik_PROGRAM.PID.unfinished` that it writes to; with
  nothing named it is the only one that runs in this folder. It must have been started under measurement. What is
  shown is read from the memory it shares with that folder: the program does nothing for it and does not notice.

  Calls that have not returned count up to now. The percentages are of the time of all threads together.

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

struct Options {
  std::string what;
  bool once = false;
  double interval = 1;
  std::string format = "text";
  std::string sort = "exclusive";
  size_t top = 20;
};

class Watch {
 public:
  explicit Watch(const top::Target& target) : target_(target), folder_(target.unfinished) {
    std::string error;
    arena_ = top::ArenaFile::Open(target.arena, &error);
    if (arena_ == nullptr) throw Fault(error);
  }

  Sample Take() {
    top::Reading reading;
    std::string error;
    if (!arena_->Read(&reading, &error)) throw Fault(target_.arena + ": " + error);
    names_.Learn(reading.image);
    const std::string& program = reading.image.program;
    program_ = program.substr(program.find_last_of('/') + 1);
    return sampler_.Add(reading);
  }

  bool HasEnded() const {
    const event::ProcessState state = arena_->State();
    return state == event::ProcessState::kFinishing || state == event::ProcessState::kDone ||
           !top::ProcessExists(target_.pid);
  }

  // What to type when it has. The archive gets its name a moment later.
  std::string Afterwards() const {
    std::string name = folder_.Name();
    const auto unfinished = [&name] { return name.ends_with(archive::kUnfinishedSuffix); };
    for (int i = 0; i < 100 && unfinished() && top::ProcessExists(target_.pid); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      name = folder_.Name();
    }
    if (unfinished()) name = folder_.Name();
    return "process " + std::to_string(target_.pid) + " has ended; type: epk " +
           (name.empty() ? "report" : (unfinished() ? "recover " : "report ") + name);
  }

  std::string Text(const Sample& sample, ShowOptions options, const view::Terminal& terminal) const {
    return top::ShowText(sample, sampler_, names_, Complete(options), terminal);
  }
  std::string Json(const Sample& sample, ShowOptions options) const {
    return top::ShowJson(sample, sampler_, names_, Complete(options));
  }

 private:
  ShowOptions Complete(ShowOptions options) const {
    options.title = program_;
    options.pid = target_.pid;
    return options;
  }

  top::Target target_;
  top::Folder folder_;
  std::unique_ptr<top::ArenaFile> arena_;
  top::Sampler sampler_;
  top::Names names_;
  std::string program_;
};

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
int Print(Watch* watch, const Options& options, ShowOptions show) {
  const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
  watch->Take();
  for (bool runs = true; runs;) {
    runs = RunsOn(*watch, options.interval);
    const Sample sample = watch->Take();
    const std::string text =
        options.format == "json" ? watch->Json(sample, show) : watch->Text(sample, show, terminal) + "\n";
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
      show->view = show->view == View::kPaths     ? View::kRegions
                   : show->view == View::kRegions ? View::kThreads
                                                  : View::kPaths;
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
  Sample sample = watch->Take();
  auto taken = Clock::now();
  for (;;) {
    show.height = Screen::Height();
    screen.Show(watch->Text(sample, show, view::DetectTerminal(STDOUT_FILENO)));
    const std::chrono::duration<double> since = Clock::now() - taken;
    const int key = screen.Wait(show.interval - since.count());
    if (key == Screen::kEnd || !Obey(key, &show)) return false;
    if (watch->HasEnded()) return true;
    if (key != Screen::kTimeout) continue;
    taken = Clock::now();
    if (!show.frozen) sample = watch->Take();
  }
}

int Top(const Options& options) {
  top::Target target;
  std::string error;
  if (!top::FindTarget(options.what, &target, &error)) throw Fault(error);
  Watch watch(target);
  const std::map<std::string, Sort> sorts = {{"exclusive", Sort::kExclusive},
                                             {"inclusive", Sort::kInclusive},
                                             {"visits", Sort::kVisits},
                                             {"name", Sort::kName}};
  ShowOptions show;
  show.sort = sorts.at(options.sort);
  show.top = options.top;
  show.interval = options.interval;
  const bool live = !options.once && options.format == "text" && isatty(STDOUT_FILENO) != 0;
  if (!live) return Print(&watch, options, show);
  show.top = 0;  // as many as fit
  return Look(&watch, show) ? End(watch) : kDone;
}

}  // namespace

void AddTop(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  app.add_option("what", options->what, "process number, or the unfinished archive of a running program")
      ->type_name("PID|ARCHIVE");
  app.add_flag("--once", options->once, "watch for one interval, print, and leave");
  app.add_option("--interval", options->interval, "seconds between refreshes (default: 1)")
      ->type_name("SECONDS")
      ->check(CLI::Range(0.05, 3600.0));
  app.add_option("--format", options->format, "text or json: an object for each refresh, one a line")
      ->check(CLI::IsMember({"text", "json"}));
  app.add_option("--sort", options->sort, "exclusive, inclusive, visits or name")
      ->check(CLI::IsMember({"exclusive", "inclusive", "visits", "name"}));
  app.add_option("--top", options->top, "show so many call paths (default: 20; 0: all)")->type_name("N");
  app.footer(kManual);
  run = [options] { return Top(*options); };
}

}  // namespace epik::epk
