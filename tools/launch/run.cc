// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "config/own_executable.h"
#include "runtime/abi/runner.h"
#include "tools/instrument/compiler.h"
#include "tools/instrument/words.h"
#include "tools/launch/child.h"
#include "tools/launch/record.h"
#include "view/number.h"
#include "view/shell.h"
#include "view/text.h"

extern char** environ;

namespace epik::launch {
namespace {

void Say(const std::string& line) { std::fprintf(stderr, "epk run: %s\n", view::Printable(line).c_str()); }

std::string LibraryFolder() {
  const std::filesystem::path self = config::OwnExecutable();
  return instrument::NormalizePath(self.parent_path().string() + "/../lib");
}

// A launcher that fails may not have started the program at all.
bool MayNotHaveStarted(const Plan& plan, const Ending& ending) {
  return (ending.status != 0 || ending.signal != 0) && (plan.parallel || plan.reasons.empty());
}

void SayWhy(const Plan& plan, const Ending& ending) {
  if (MayNotHaveStarted(plan, ending)) {
    const bool killed = ending.signal != 0;
    Say(std::string("the command failed (") + (killed ? "signal " : "status ") +
        std::to_string(killed ? ending.signal : ending.status) + ") before anything was measured");
    if (!plan.reasons.empty()) Say(plan.reasons.front());
    return;
  }
  if (plan.reasons.empty()) {
    Say("nothing was measured: is EPK_SUMMARY off, or did the program end before its first function?");
    return;
  }
  Say("nothing was measured: " + plan.reasons.front());
  if (plan.reasons.size() > 1) Say(plan.reasons[1]);
}

void SayHowMany(const std::vector<std::string>& archives) {
  const auto slash = [](const std::string& path) { return path.rfind('/'); };
  const auto name = [&](const std::string& path) { return path.substr(slash(path) + 1); };
  const bool one_folder = std::all_of(archives.begin(), archives.end(), [&](const std::string& path) {
    return path.substr(0, slash(path) + 1) == archives[0].substr(0, slash(archives[0]) + 1);
  });
  const size_t end = slash(archives[0]);
  const std::string folder = one_folder ? (end == std::string::npos ? "." : archives[0].substr(0, end)) : "";
  Say(std::to_string(archives.size()) + " archives" + (folder.empty() ? "" : " in " + folder) + ": " +
      name(archives.front()) + (archives.size() > 2 ? " to " : " and ") + name(archives.back()) +
      "; each is one program: epk report ARCHIVE");
}

// Launchers of MPI pass on what processes write to stderr.
bool HasSeenDigest(const Record& record, const Plan& plan) {
  const std::string own = NameOfFile(STDERR_FILENO);
  if (plan.parallel || own.empty() || record.digests.empty()) return true;
  return std::find(record.digests.begin(), record.digests.end(), own) != record.digests.end();
}

// All ranks of all jobs that the command ran.
void SayWhatCameLate(const Record& record) {
  if (record.late_calls.empty()) return;
  uint64_t calls = 0;
  for (const auto& [rank, count] : record.late_calls) calls += count;
  const size_t ranks = record.late_calls.size();
  const std::string who =
      ranks == 1 ? "rank " + std::to_string(record.late_calls[0].first) : view::Plural(ranks, "rank");
  Say(who + " made " + view::Plural(calls, "call") + " after MPI_Finalize, when the measurement had ended");
}

// The signal that killed the process which measured into `path`, if that is our own child. SIGKILL does not tell
// whether a person sent it, or the kernel for want of memory: the archive names both.
int SignalOf(const std::string& path, const Ending& ending) {
  const bool is_child = path.ends_with("." + std::to_string(ending.pid) + ".unfinished");
  return is_child && ending.signal != SIGKILL ? ending.signal : 0;
}

// ctest, make check: there may be hundreds. Traces that are left out are named, so that their user can go on with them.
void Analyze(const Words& archives, const std::function<void(const std::string& archive)>& analyze) {
  constexpr size_t kMost = 32;
  const size_t done = std::min(archives.size(), kMost);
  for (size_t i = 0; i < done; ++i) analyze(archives[i]);
  if (done == archives.size()) return;
  const Words others(archives.begin() + static_cast<ptrdiff_t>(done), archives.end());
  Say("the first " + std::to_string(kMost) + " traces are analysed, the other " + std::to_string(others.size()) +
      " are not: for archive in " + instrument::ShellQuote(others) + "; do epk analyze \"$archive\"; done");
}

// Says which archives of the folder are newer than `begin`. A process that has changed its user may not write into the
// record. False: there are none.
bool SayWhatIsNew(const std::string& folder, const timespec& begin) {
  bool any = false;
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    struct stat info;
    const std::string& path = at->path().native();
    if (!at->path().filename().native().starts_with("epik_") || stat(path.c_str(), &info) != 0) continue;
    const timespec& made = info.st_mtim;
    const bool is_new = std::pair(made.tv_sec, made.tv_nsec) >= std::pair(begin.tv_sec, begin.tv_nsec);
    if (!is_new || !S_ISDIR(info.st_mode)) continue;
    any = true;
    Say("a new archive is there, of which no process told epk run (a program that has changed its user cannot): epk " +
        std::string(path.ends_with(".unfinished") ? "recover " : "report ") + path);
  }
  return any;
}

// Archives first published, then saved; says so when there is neither.
void Report(const Record& record, const Plan& plan, const Ending& ending, const timespec& begin,
            const Callbacks& callbacks) {
  std::vector<std::string> archives = record.done;
  const auto exists = [](const std::string& path) { return access(path.c_str(), F_OK) == 0; };
  for (const std::string& path : Unfinished(record, exists)) {
    const std::string saved = callbacks.recover ? callbacks.recover(path, SignalOf(path, ending)) : "";
    if (saved.empty()) {
      // If the unfinished archive is gone, one of the processes has published it.
      if (exists(path)) Say("a process ended before its measurement was complete: epk recover " + view::InShell(path));
    } else {
      archives.push_back(saved);
    }
  }
  if (callbacks.analyze) Analyze(archives, callbacks.analyze);
  if (archives.size() == 1 && !HasSeenDigest(record, plan)) Say("1 archive: epk report " + view::InShell(archives[0]));
  if (archives.size() > 1) SayHowMany(archives);
  const bool is_told = !archives.empty() || !record.refused.empty();
  const bool is_left = !Unfinished(record, exists).empty();
  if (!is_told && !is_left && !SayWhatIsNew(plan.folder, begin) && record.started.empty()) SayWhy(plan, ending);
  SayWhatCameLate(record);
}

}  // namespace

void DeclareOptions(cli::App& app, Options& options) {
  app.AddOption("-t,--trace", options.trace, "also trace: all, comm, slow:10ms, msgs, visits:N, ...").TypeName("SEL");
  app.AddOption("--title", options.title, "name of the archive").TypeName("T");
  app.AddOption("-o,--output", options.dir, "folder in which the archive is made").TypeName("DIR");
  app.AddOption("-f,--filter", options.filter, "file of what to measure and what not").TypeName("FILE");
  app.AddOption("-m,--metrics", options.metrics, "counters to read beside the time").TypeName("METRICS");
  app.AddOption("-e,--env", options.settings, "set a variable for the program").TypeName("NAME=VALUE");
  app.AddFlag("-n,--dry-run", options.dry_run, "print the environment and the command, run nothing");
  app.AddFlag("-v,--verbose", options.verbose, "print them to stderr, then run");
  app.AddOption("--libdir", options.library_dirs, "where libepk.so is").TypeName("DIR");
  app.TakeProgram();
}

Machine SystemMachine() {
  Machine machine;
  machine.find = FindInPath;
  machine.resolve = [](const std::string& word) {
    std::error_code error;
    return std::filesystem::canonical(FindInPath(word), error).string();
  };
  const auto search = std::make_shared<SearchPath>(SystemSearchPath());
  machine.inspect = [search](const std::string& path) { return Inspect(path, *search); };
  machine.exists = [](const std::string& path) { return access(path.c_str(), R_OK) == 0; };
  machine.cannot_fill = [](const std::string& path) {
    std::error_code none;
    const bool is_file = std::filesystem::exists(path, none) && !std::filesystem::is_directory(path, none);
    if (is_file) return std::string(std::strerror(ENOTDIR));
    return std::string(access(path.c_str(), W_OK | X_OK) == 0 ? "" : std::strerror(errno));
  };
  machine.variable = [](const std::string& name) {
    const char* value = std::getenv(name.c_str());
    return std::string(value == nullptr ? "" : value);
  };
  machine.switched_off_in = SwitchedOffIn;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    machine.variables.emplace_back(*entry, std::strcspn(*entry, "="));
  }
  std::error_code error;
  machine.current_dir = std::filesystem::current_path(error).string();
  return machine;
}

int Run(const Words& words, Options options, const Callbacks& callbacks) {
  const bool separated = !words.empty() && words[0] == "--";
  const Words command(words.begin() + (separated ? 1 : 0), words.end());
  if (options.library_dirs.empty()) options.library_dirs = {LibraryFolder()};
  Ending ending;
  {
    std::unique_ptr<RecordFile> file;
    if (!options.dry_run) {
      file = std::make_unique<RecordFile>();
      options.record = file->path();
    }
    const Plan plan = MakePlan(command, options, SystemMachine());
    for (const std::string& note : plan.notes) Say(note);
    if (!plan.error.empty()) {
      Say(plan.error);
      return plan.status;
    }
    if (options.dry_run) {
      std::printf("%s\n", Describe(plan).c_str());
      return 0;
    }
    if (options.verbose) std::fprintf(stderr, "%s\n", Describe(plan).c_str());
    timespec begin;
    clock_gettime(CLOCK_REALTIME_COARSE, &begin);  // by which files have their times
    ending = RunChild(plan.command, plan.environment);
    if (ending.error != 0) {
      Say(plan.command[0] + ": " + std::strerror(ending.error));
    } else if (file->path().empty()) {
      Say("$TMPDIR, /tmp and /dev/shm take no file, so epk run did not look after the measurement; if the program was "
          "killed, `epk recover` saves it");
    } else {
      Report(file->Read(), plan, ending, begin, callbacks);
      if (const char* around = std::getenv(kRunnerRecord)) file->PassOn(around);
    }
  }  // the record is removed before a signal may end us
  std::fflush(nullptr);
  return EndLike(ending);
}

}  // namespace epik::launch
