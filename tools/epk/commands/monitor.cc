// SPDX-License-Identifier: BSD-3-Clause
// epk monitor: shows the processes of a running job that keep others waiting.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "archive/files/atomic_file.h"
#include "archive/files/byte_source.h"
#include "config/coll_tree.h"
#include "tools/epk/command.h"
#include "tools/monitor/advice.h"
#include "tools/monitor/job.h"
#include "tools/monitor/page.h"
#include "tools/monitor/serve.h"
#include "tools/monitor/show.h"
#include "tools/monitor/when.h"
#include "tools/serve/server.h"
#include "tools/top/screen.h"
#include "view/number.h"
#include "view/terminal.h"
#include "view/text.h"

namespace epik::epk {
namespace {

using monitor::Job;
using monitor::Moment;
using monitor::When;

constexpr char kMonitorManual[] = R"(
SYNOPSIS
    epk monitor [OPTION]... JOB
    epk monitor --serve [--listen ADDRESS[:PORT]] [--announce NAME] JOB

DESCRIPTION
  Shows again and again which rank comes last to the collective calls of a running MPI job, how late it is, and what
  the others wait; who stands still in a call of MPI, and where the others are; how even the work is; and statistics of
  each call path and thread. JOB is the folder `epik_PROGRAM.NAME.unfinished` that it writes to (NAME is what the
  launcher calls the job, as in `ompi148307969`), the number of one of its processes, or the id of its Slurm job (also
  as `slurm:ID`). All of its processes on this machine are watched, and those on hosts that have a scope.

  A job on several hosts needs a scope on each of them: `epk monitor --serve JOB`, which ends with the job. It listens
  on 127.0.0.1 unless `--listen` names another address, and answers those only who can read the secret of the run: a
  file that it makes in the job's folder, for its owner alone. Monitors find the scopes in that folder, too.

  The job must be measured and should have been started with `EPK_MONITOR_BUFFER=1M` or `EPK_WAITS=yes`, so that its
  threads note their collective calls. Without that it shows the balance of the work alone, and a line tells why. The
  monitor only reads memory that the job shares with that folder: the job does not notice when it comes, goes or is
  killed. The monitor ends with the job.

  The balance is the mean of the processes' time outside of MPI over the largest one, since the last refresh. Figures
  of last ranks count from the last refresh, too. Statistics also count the earlier calls that the job's buffers still
  have when the monitor comes.

  A job with `EPK_COLL_TREE` also has links: how long messages between two processes take there and back, how long after
  the first contribution to a process that of each child came, and how often it was the last one. `--advise` writes a
  tree that enters each group of near processes once, from what the links took, and tells how long the longest way to
  the root takes in it, and how long it takes now. `--reconfigure` gives the job a tree while it runs.

  A condition of `--when` is `FIGURE<NUMBER` or `FIGURE>NUMBER`, optionally with `for TIME`. Figures are balance,
  waited (the share of time that processes wait in collectives), late (seconds that the last one is late, of the worst
  call path), discarded, rate (of the region of `--progress`), remaining (seconds to the end that `--total`
  estimates), and standing (seconds that a rank has stood still in a call of MPI). Each condition has a command, in
  their order; it is started once each time that its condition has held that long, and the monitor does not wait for it.
  The command has the job's folder in the variable EPK_MONITOR_JOB, which means all of its processes on this machine.

EXAMPLES
    epk monitor 4711
    epk monitor epik_solver.4711.unfinished --once --format json
    epk monitor 4711 --when 'balance<0.7 for 10s' \
        --do 'epk control "$EPK_MONITOR_JOB" trace on'
    epk monitor 4711 --progress step --total 4000  # 4 ranks of 1,000 steps
    epk monitor 4711 --when 'standing>60' --do 'echo hangs | mail -s solver me'
    epk monitor 4711 --web
    srun --overlap --ntasks-per-node=1 \
        epk monitor --serve epik_solver.4711.unfinished --listen 0.0.0.0

EXIT STATUS
  0 when the job ended or the monitor was ended by a signal, 1 when there was nothing to watch, or when a file could not
  be written.

SEE ALSO
  epk-top(1), epk-control(1), epk-report(1)
)";

struct MonitorOptions {
  std::string what;
  bool once = false;
  uint64_t count = 0;
  double interval = 1;
  std::string format = "text";
  bool web = false;
  int port = 0;
  bool record = false;
  std::string progress;
  uint64_t total = 0;
  std::vector<std::string> when, commands;
  std::string advice;
  std::string tree;
  std::string scope;
  std::vector<std::string> hosts;
  bool serve = false;
  std::string listen = "127.0.0.1", announced;
};

std::atomic<bool> interrupted = false;

void EndAtSignals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { interrupted = true; };
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

// Writes one JSON line after the other into the archive, even if the archive is renamed meanwhile, or the job moves to
// another one.
class Record {
 public:
  Record(const Job& job, bool wanted) : job_(job), folder_(wanted ? job.Folder() : "") {
    if (!wanted) return;
    Open();
    if (fd_ < 0) throw Fault(folder_ + kName + ": cannot be written");
  }
  ~Record() {
    if (fd_ >= 0) close(fd_);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  // Once a line could not be written, later ones are not written either.
  void Add(const std::string& line) {
    if (fd_ < 0) return;
    Follow();
    const ssize_t written = fd_ < 0 ? -1 : write(fd_, line.data(), line.size());
    if (written == static_cast<ssize_t>(line.size())) return;
    why_ = fd_ >= 0 && written >= 0 ? "there was no room for a whole line" : std::strerror(errno);
    fprintf(stderr, "epk monitor: monitor.jsonl cannot be written any more: %s\n", why_.c_str());
    if (fd_ < 0) return;
    // Readers shall find whole lines. Another monitor may have added some meanwhile, so only a part at the end goes.
    const off_t end = lseek(fd_, 0, SEEK_CUR);
    struct stat info {};
    const bool is_last = written > 0 && fstat(fd_, &info) == 0 && info.st_size == end;
    if (is_last && ftruncate(fd_, end - written) != 0) why_ += ", and its last line is cut";
    close(fd_);
    fd_ = -1;
  }
  // Why lines are missing; empty when no line is missing.
  const std::string& why() const { return why_; }

 private:
  static constexpr char kName[] = "/monitor.jsonl";

  void Open() { fd_ = open((folder_ + kName).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644); }
  // The archive that the job has left has nothing else any more.
  void Follow() {
    const std::string before = folder_, now = job_.Folder();
    if (now.empty() || now == before) return;
    folder_ = now;
    if (access((before + kName).c_str(), F_OK) != 0) return;  // it is the same archive under another name
    if (renameat2(AT_FDCWD, (before + kName).c_str(), AT_FDCWD, (now + kName).c_str(), RENAME_NOREPLACE) == 0) {
      rmdir(before.c_str());
      return;
    }
    close(fd_);  // another monitor records there, too
    Open();
  }

  const Job& job_;
  std::string folder_, why_;
  int fd_ = -1;
};

class Monitor {
 public:
  Monitor(std::unique_ptr<Job> job, const MonitorOptions& options)
      : options_(options),
        most_(options.once ? 1 : options.count),
        job_(std::move(job)),
        record_(*job_, options.record) {
    for (const std::string& text : options.when) {
      std::string error;
      if (!When::Parse(text, &when_.emplace_back(), &error)) throw UsageError(error);
      const bool has_region = !options.progress.empty() || !options.scope.empty();
      if (when_.back().NeedsRegion() && !has_region) throw UsageError("'" + text + "' needs --progress REGION");
      if (when_.back().NeedsTotal() && options.total == 0) throw UsageError("'" + text + "' needs --total VISITS");
    }
    if (when_.size() != options.commands.size()) throw UsageError("each --when has one --do");
  }

  int Run() {
    if (options_.web) return Serve();
    const bool live = options_.format == "text" && most_ == 0 && top::Screen::IsThere();
    return live ? Look() : Print();
  }

 private:
  void Take() {
    moment_ = job_->Take();
    json_ = monitor::ShowJson(*job_, moment_, !options_.scope.empty());
    record_.Add(json_);
    for (size_t i = 0; i < when_.size(); ++i) {
      if (!when_[i].IsDue(moment_)) continue;
      Say(when_[i].text() + ": " + options_.commands[i]);
      if (!monitor::StartCommand(options_.commands[i], JobForCommands())) Say("it could not be started");
    }
  }

  // At once, or below the tables while they have the screen, and once more when they have left it.
  void Say(const std::string& what) {
    if (has_screen_) return said_.push_back("epk monitor: " + what + "\n");
    fprintf(stderr, "epk monitor: %s\n", what.c_str());
  }

  std::string ScreenText() const {
    const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
    if (moment_.interval <= 0)
      return job_->program() + ": the first figures come in " + terminal.Spelled(view::Seconds(options_.interval)) +
             "\n";
    const size_t last = said_.empty() ? 0 : 1;
    const std::string text =
        monitor::ShowText(*job_, moment_, std::max(top::Screen::Height(), last + 1) - last, terminal);
    if (said_.empty()) return text;
    return text + view::Shorten(view::Printable(said_.back()), terminal.width, view::Cut::kEnd, terminal.Ellipsis());
  }

  // The folder under its present name means all processes of the job; a process number, as the user may have given,
  // means one.
  std::string JobForCommands() const {
    const std::string folder = job_->Folder();
    std::error_code failed;
    const std::filesystem::path whole = std::filesystem::absolute(folder, failed);
    return folder.empty() || failed ? options_.what : whole.string();
  }

  // Waits, but not longer than the job runs. False: it is time to end.
  bool RunsOn() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(options_.interval);
    while (!job_->HasEnded() && !interrupted) {
      const std::chrono::duration<double> left = until - std::chrono::steady_clock::now();
      if (left.count() <= 0) return true;
      std::this_thread::sleep_for(std::min(left, std::chrono::duration<double>(job_->KeepUp())));
    }
    return false;
  }

  int Print() {
    const view::Terminal terminal = view::DetectTerminal(STDOUT_FILENO);
    job_->Take();  // earlier events do not belong to this interval
    uint64_t printed = 0;
    for (bool runs = true; runs;) {
      runs = RunsOn();
      Take();
      const bool is_json = options_.format == "json";
      const std::string text = is_json ? json_ : monitor::ShowText(*job_, moment_, 0, terminal) + "\n";
      if (fwrite(text.data(), 1, text.size(), stdout) != text.size() || fflush(stdout) != 0) {
        throw Fault("cannot write to standard output");
      }
      if (++printed == most_) return End();
    }
    return End();
  }

  void Refresh() {
    using Clock = std::chrono::steady_clock;
    top::Screen screen;
    job_->Take();  // earlier events do not belong to the first interval
    screen.Show(ScreenText());
    for (auto next = Clock::now(); !job_->HasEnded();) {
      next += std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.interval));
      do {
        const std::chrono::duration<double> left = next - Clock::now();
        const int key = screen.Wait(std::clamp(left.count(), 0.0, job_->KeepUp()));
        if (key == 'q' || key == top::Screen::kEnd) return;
        if (key == top::Screen::kResized) screen.Show(ScreenText());
      } while (Clock::now() < next);
      Take();
      screen.Show(ScreenText());
    }
  }

  int Look() {
    has_screen_ = true;
    Refresh();
    for (const std::string& line : said_) fputs(line.c_str(), stderr);
    return End();
  }

  int Serve() {
    serve::ServerOptions server_options;
    server_options.port = static_cast<uint16_t>(options_.port);
    server_options.tick_milliseconds = kLookMilliseconds;
    std::unique_ptr<serve::Server> server;
    const auto answer = [this](const serve::Request& request) -> serve::Response {
      if (request.path == "/") return {200, "text/html; charset=utf-8", monitor::kPage, false};
      if (request.path == "/events") return {200, "text/event-stream", "", true};
      if (request.path == "/now") return {200, "application/json", json_, false};
      return {404, "text/plain; charset=utf-8", "no such page\n", false};
    };
    uint64_t shown = 0;
    using Clock = std::chrono::steady_clock;
    const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.interval));
    Clock::time_point next;
    const auto tick = [this, &server, &shown, &next, interval] {
      if (Clock::now() < next) {
        job_->KeepUp();
        return;
      }
      next = Clock::now() + interval;
      const bool ended = job_->HasEnded();
      Take();
      server->Broadcast(json_.substr(0, json_.size() - 1));
      if (++shown == most_) server->Stop();
      if (!ended) return;
      server->Broadcast("{\"ended\":true}");
      if (++ticks_after_end_ > 1) server->Stop();
    };
    server = std::make_unique<serve::Server>(server_options, answer, tick);
    if (!server->Listen()) throw Fault(server->Error());
    job_->Take();  // earlier events do not belong to the first interval
    next = Clock::now() + interval;
    printf("%s\n", server->Url().c_str());
    fflush(stdout);
    server->Run();
    return End();
  }

  int End() const {
    if (!options_.advice.empty()) WriteAdvice();
    if (!record_.why().empty()) throw Fault("monitor.jsonl is not whole: " + record_.why());
    if (interrupted || !job_->HasEnded()) return kDone;
    fprintf(stderr, "epk monitor: the job has ended\n");
    return kDone;
  }

  // Computes the advice from the links of the trees of MPI_COMM_WORLD, over all call paths.
  void WriteAdvice() const {
    std::vector<monitor::MeasuredLink> links;
    for (const auto& [key, link] : job_->Of(scopes::Source::kLinks).links()) {
      const bool counts = monitor::KnowsLatency(link) && job_->CommunicatorName(key.communicator) == "MPI_COMM_WORLD";
      if (counts) links.push_back({key.parent, key.child, link.latency.median});
    }
    monitor::Advice advice;
    std::string why;
    if (!monitor::Advise(links, job_->ranks(), &advice, &why)) {
      throw Fault("no tree can be advised: " + why +
                  "; the job needs EPK_COLL_TREE and EPK_MONITOR_BUFFER, and calls " +
                  "of MPI_Allreduce, MPI_Allgather or MPI_Barrier on MPI_COMM_WORLD in which no process always comes " +
                  "after those below it");
    }
    const auto gain = advice.gain();
    const std::string& file = options_.advice;
    const std::string ways = monitor::Compare(advice);
    const std::string which = advice.is_present ? ", which runs now, " : ", ";
    const std::string found =
        gain == monitor::Advice::Gain::kNone ? "no better tree was found: in this one" + which : "";
    const std::string comment = "epk monitor: a tree for " + job_->program() + "; " + found + ways;
    std::string error;
    if (!archive::WriteFileAtomically(file, config::WriteParents(advice.parents, comment), &error)) throw Fault(error);
    const std::string line = gain == monitor::Advice::Gain::kNone
                                 ? "no better tree was found: in that of " + file + which + ways
                                 : file + " has a tree: " + ways + "; try it: EPK_COLL_TREE=file:" + file;
    fprintf(stderr, "epk monitor: %s\n", line.c_str());
  }

  static constexpr int kLookMilliseconds = 20;  // at buffers that fill, while a page is served

  const MonitorOptions& options_;
  const uint64_t most_;  // refreshes; 0: as long as the job runs
  std::unique_ptr<Job> job_;
  Record record_;
  std::vector<When> when_;
  Moment moment_;
  std::string json_ = "{}\n";
  bool has_screen_ = false;
  std::vector<std::string> said_;  // while the tables had the screen
  int ticks_after_end_ = 0;
};

// The job looks for the file now and then; all of its processes take it between the same two operations.
int Reconfigure(Job* job, const std::string& file) {
  std::string text, error;
  std::vector<int32_t> parents;
  constexpr uint64_t kMostBytes = 1 << 26;
  if (!archive::ReadFile(file, kMostBytes, &text, &error)) throw Fault(error);
  job->Take();
  if (job->LacksTree()) throw Fault("the job has no tree: only one that was started with EPK_COLL_TREE takes another");
  if (!config::ReadParents(text, job->ranks(), &parents, &error)) throw Fault(file + ": " + error);
  const std::string folder = job->Folder();
  if (folder.empty()) throw Fault("where the job writes to is not known: name its folder");
  if (!archive::WriteFileAtomically(folder + "/tree", text, &error)) throw Fault(error);
  fprintf(stderr, "epk monitor: the job takes the tree within the next 128 operations of a communicator\n");
  return kDone;
}

monitor::JobOptions JobOptionsOf(const MonitorOptions& options) {
  monitor::JobOptions job;
  job.hosts = options.hosts;
  job.plan = monitor::StandardPlan(options.progress);
  job.total_visits = static_cast<double>(options.total);
  if (options.scope.empty()) return job;
  if (!options.progress.empty())
    throw UsageError("--scope and --progress do not go together: from visits does the same");
  std::string text, error;
  if (!archive::ReadFile(options.scope, scopes::kMostDescriptionBytes, &text, &error)) throw Fault(error);
  if (!scopes::ParseDescription(text, options.scope, &job.plan, &error)) throw Fault(error);
  if (job.plan.low_priority) setpriority(PRIO_PROCESS, 0, 19);
  return job;
}

int ServeScope(const MonitorOptions& options) {
  std::string error;
  EndAtSignals();
  if (!monitor::ServeScope({options.what, options.listen, options.announced}, interrupted, &error)) throw Fault(error);
  return kDone;
}

int MonitorJob(const MonitorOptions& options) {
  if (options.serve) return ServeScope(options);
  std::string error;
  std::unique_ptr<Job> job = Job::Open(options.what, JobOptionsOf(options), &error);
  if (job == nullptr) throw Fault(error);
  if (!options.tree.empty()) return Reconfigure(job.get(), options.tree);
  EndAtSignals();
  return Monitor(std::move(job), options).Run();
}

}  // namespace

void AddMonitor(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<MonitorOptions>();
  app.AddOption("job", options->what, "unfinished archive, process number, or id of a Slurm job")
      .TypeName("JOB")
      .Required();
  const cli::Option once = app.AddFlag("--once", options->once, "watch for one interval, show it, and leave");
  const cli::Option count = app.AddOption("--count", options->count, "leave after so many refreshes")
                                .TypeName("N")
                                .Check(WholeNumberFrom(1, 1000000000))
                                .Excludes(once);
  const cli::Option interval = app.AddOption("--interval", options->interval, "seconds between refreshes (default: 1)")
                                   .TypeName("SECONDS")
                                   .Check(NumberFrom(0.05, 3600));
  const cli::Option format =
      app.AddOption("--format", options->format, "text or json: an object for each refresh, one a line")
          .OneOf({"text", "json"});
  const cli::Option web =
      app.AddFlag("--web", options->web, "serve a page to this machine alone, and print its address");
  web.Excludes(format);  // its JSON is at the address with /now
  const cli::Option port = app.AddOption("--port", options->port, "with --web: serve there (default: any that is free)")
                               .Check(WholeNumberFrom(0, 65535));
  const cli::Option record =
      app.AddFlag("--record", options->record, "add each refresh to monitor.jsonl in the archive");
  const cli::Option progress =
      app.AddOption("--progress", options->progress, "show how often this region is entered, and how fast")
          .TypeName("REGION");
  const cli::Option total =
      app.AddOption("--total", options->total, "with --progress: its visits in all, to tell when the job ends")
          .TypeName("VISITS")
          .Check(WholeNumberFrom(1, 1000000000000000))
          .Needs(progress);
  const cli::Option when =
      app.AddOption("--when", options->when, "a condition, as in 'balance<0.7 for 10s'").TypeName("CONDITION");
  const cli::Option command =
      app.AddOption("--do", options->commands, "the command to start when it holds").TypeName("COMMAND");
  const cli::Option advise = app.AddOption("--advise", options->advice,
                                           "at the end, write a tree for EPK_COLL_TREE to this file, and what it gains")
                                 .TypeName("FILE");
  const cli::Option reconfigure =
      app.AddOption("--reconfigure", options->tree, "give a job with EPK_COLL_TREE the tree of this file, and leave")
          .TypeName("FILE");
  const cli::Option scope =
      app.AddOption("--scope", options->scope, "gather what this description asks for (docs/scopes.md)")
          .TypeName("FILE");
  const cli::Option hosts =
      app.AddOption("--hosts", options->hosts, "gather from the scopes of these hosts (default: of all that have one)")
          .TypeName("HOST[:PORT],...")
          .SplitAt(',');
  const cli::Option serve = app.AddFlag("--serve", options->serve, "be the scope of this host, for monitors elsewhere");
  app.AddOption("--listen", options->listen, "with --serve: at which address (default: 127.0.0.1, any port)")
      .TypeName("ADDRESS[:PORT]");
  app.AddOption("--announce", options->announced, "with --serve: what other hosts call this address").TypeName("NAME");
  // A scope shows nothing, and runs as long as the job.
  for (const cli::Option& of_monitor : {once, count, interval, format, web, port, record, progress, total, when,
                                        command, advise, reconfigure, scope, hosts}) {
    serve.Excludes(of_monitor);
  }
  app.Footer(kMonitorManual);
  run = [options] { return MonitorJob(*options); };
}

}  // namespace epik::epk
