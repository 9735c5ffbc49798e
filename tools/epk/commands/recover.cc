// SPDX-License-Identifier: BSD-3-Clause
// epk recover: makes an archive of the arenas that a killed program has left.
#include "archive/close/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/directory/archive.h"
#include "runtime/abi/runner.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"
#include "tools/launch/record.h"

namespace epik::epk {
namespace {

using archive::Recovered;

constexpr char kRecoverManual[] = R"(
SYNOPSIS
    epk recover [--live|--dead] [--yes-it-is-theirs] [ARCHIVE|FOLDER|PID]...

DESCRIPTION
  A program that is killed leaves `epik_PROGRAM.PID.unfinished` behind, with all that was measured up to the last
  event. (Of a job of MPI, the launcher's name of the job stands for PID.) This command turns it into a normal archive:
  calls that had not returned end at the last moment that is known, and the report tells how the run ended.

  Name the unfinished archive, a folder that holds some, or the number of the process. When nothing is named, it
  recovers all unfinished archives in the current folder. It works on any machine that sees the files. Names of
  functions are looked up in the program's files where they are found; see epk-resolve(1) for the others.

  A process that still runs is left alone, unless `--live` asks for a snapshot of what it has measured so far. Whether
  a process of another machine, or of another container, lives cannot always be seen. It is left alone, too, until
  `--dead` says that the job has ended. `epk run` needs no such word, because it waits for the job's launcher.

  An archive of another user may hold links that were planted there. Root recovers it with that user's rights and no
  more; others are refused. `--yes-it-is-theirs` goes on all the same.

EXAMPLES
    epk recover
    epk recover epik_solver.4711.unfinished
    epk recover --live 4711
    epk recover --dead epik_solver.4711.unfinished  # its job has ended

EXIT STATUS
  0 when everything named is an archive now, 1 when something could not be recovered. Files that are damaged are kept,
  in the unfinished archive or, when others could be read, as `damaged` in the new one.

SEE ALSO
  epk-run(1), epk-report(1)
)";

struct RecoverOptions {
  std::vector<std::string> names;
  archive::RecoverOptions recover;
  int wait_for = -1;
};

// Processes have numbers of at most seven digits.
bool IsProcessNumber(const std::string& text) {
  return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == std::string::npos;
}

bool IsFolder(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// The archives that a word stands for.
std::vector<std::string> Expand(const std::string& name) {
  if (IsFolder(name)) {
    if (IsFolder(name + "/" + archive::kArenasName) ||
        access((name + "/" + archive::kManifestName).c_str(), F_OK) == 0) {
      return {name};
    }
    return archive::FindUnfinished(name, 0);
  }
  if (IsProcessNumber(name)) return archive::FindUnfinished(".", std::stoi(name));
  return {};
}

// When we work for a program that is ending, messages have the runtime's prefix.
void Say(const archive::RecoverOptions& options, const std::string& text) {
  fputs(Message(options.ended ? "[EPIK]" : "epk recover:", text).c_str(), stderr);
}

// `epk run` counts and analyses the archive of a program that has ended early.
void TellRunner(const std::string& archive) {
  if (const char* record = std::getenv(kRunnerRecord)) launch::TellPublished(record, archive);
}

// Nothing is left to do here, whoever it belongs to.
bool IsComplete(const std::string& path) {
  return access((path + "/" + archive::kManifestName).c_str(), F_OK) == 0 &&
         !IsFolder(path + "/" + archive::kArenasName);
}

bool RecoverOne(const std::string& path, const archive::RecoverOptions& options) {
  if (!options.ended && IsComplete(path)) {
    Say(options, path + " is complete");
    return true;
  }
  archive::WriteResult result;
  std::string error;
  switch (archive::Recover(path, options, &result, &error)) {
    case Recovered::kYes:
      if (options.ended) TellRunner(result.path);
      for (const std::string& line : result.digest) fputs(Message("[EPIK]", line).c_str(), stderr);
      if (!result.damage.empty()) Say(options, result.damage);
      return result.damage.empty();
    case Recovered::kNothing:
      if (!options.ended) Say(options, path + " held no call and was removed");
      return true;
    case Recovered::kAlreadyComplete:
      // The user did not name this archive: another process has just recovered it, which needs no message.
      if (!options.ended) Say(options, path + " is complete");
      return true;
    case Recovered::kStillRunning:
      if (options.ended) return true;  // other processes of the job still run: the last of them makes the archive
      [[fallthrough]];
    default: Say(options, error); return false;
  }
}

// The program is about to be replaced by another: the process that started us closes the pipe when that has happened,
// or writes to it when it has not.
bool WaitedInVain(int fd) {
  char byte;
  const bool cancelled = read(fd, &byte, 1) > 0;
  close(fd);
  return cancelled;
}

int Run(const RecoverOptions& options) {
  if (options.wait_for >= 0 && WaitedInVain(options.wait_for)) return kDone;
  std::vector<std::string> names = options.names;
  if (names.empty()) names.push_back(".");
  bool all = true;
  for (const std::string& name : names) {
    const std::vector<std::string> paths = Expand(name);
    // Another process of the same job was quicker.
    if (paths.empty() && options.recover.ended) continue;
    if (paths.empty()) {
      Say(options.recover, name + ": no unfinished archive" +
                               (IsFolder(name) ? " in this folder" : " of that name or process number here"));
      all = false;
    }
    for (const std::string& path : paths) all = RecoverOne(path, options.recover) && all;
  }
  return all ? kDone : kFault;
}

}  // namespace

void AddRecover(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<RecoverOptions>();
  app.AddOption("what", options->names, "unfinished archives, folders, or process numbers").TypeName("ARCHIVE");
  app.AddFlag("--live", options->recover.live, "take a snapshot of a process that still runs");
  app.AddFlag("--dead", options->recover.dead, "take the processes for ended when that cannot be seen from here");
  app.AddFlag("--yes-it-is-theirs", options->recover.theirs, "recover it although it belongs to another user");
  app.AddFlag("--ended", options->recover.ended, "the process is ending just now").Hidden();
  app.AddOption("--wait-for", options->wait_for, "begin when this descriptor is closed").Hidden();
  app.Footer(kRecoverManual);
  run = [options] { return Run(*options); };
}

}  // namespace epik::epk
