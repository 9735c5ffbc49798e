// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/finish.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/abi/finish.h"
#include "runtime/base/file_limit_ignored.h"
#include "runtime/base/forked.h"
#include "runtime/base/installation.h"
#include "runtime/base/log.h"
#include "runtime/base/own_stack.h"
#include "runtime/endings/handler_stack.h"
#include "runtime/endings/rescue.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/options.h"
#include "runtime/episode/workplace.h"

namespace epik::endings {

using episode::UnfinishedArchive;
using event::Process;

namespace {

struct Finishing {
  bool keep_arenas = false;  // although the archive is complete
  EpikFinishFunction function = nullptr;
  const char* error = nullptr;  // why `function` is null
};
constinit Finishing ending;

void SayLines(const char* lines) {
  while (*lines != '\0') {
    const char* end = std::strchr(lines, '\n');
    char line[512];
    const size_t n = end == nullptr ? std::strlen(lines) : static_cast<size_t>(end - lines);
    std::snprintf(line, sizeof line, "%.*s", static_cast<int>(n), lines);
    base::Say("%s", line);
    lines += n + (end != nullptr ? 1 : 0);
  }
}

// The archive of the job is complete. `epk run` adds up the calls of all ranks; without it each rank says its own.
void SayWhatCameLate() {
  const episode::LateCalls late = episode::CallsAfterFinalize();
  if (late.calls == 0) return;
  const auto calls = static_cast<unsigned long>(late.calls);
  char numbers[48];
  std::snprintf(numbers, sizeof numbers, "%d %lu", late.rank, calls);
  if (episode::TellRunner("late", numbers)) return;
  base::Say("rank %d made %lu call%s after MPI_Finalize, when the measurement had ended", late.rank, calls,
            calls == 1 ? "" : "s");
}

void OnExit(int status, void*) {
  SayWhatCameLate();
  Finish(event::Ending::kExit, status);
}

// Registered without a library of its own, so that it runs after the destructors of every library.
__attribute__((constructor)) void OnLoad() { on_exit(OnExit, nullptr); }

bool IsLauncher(const char* name) {
  for (const char* begin : {"mpirun", "mpiexec", "orte", "prte", "hydra"}) {
    if (std::strncmp(name, begin, std::strlen(begin)) == 0) return true;
  }
  return false;
}

// A process and the name of its program, which may be cut.
struct Ancestor {
  int parent = 0;
  char name[16] = "";
};

Ancestor Read(pid_t process) {
  Ancestor ancestor;
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%d/stat", static_cast<int>(process));
  FILE* stat = std::fopen(path, "re");
  if (stat == nullptr) return ancestor;
  if (std::fscanf(stat, "%*d (%15[^)]) %*c %d", ancestor.name, &ancestor.parent) != 2) ancestor = {};
  std::fclose(stat);
  return ancestor;
}

// The launcher of this rank on this host, which passes on what ranks write. A process alone is its own launcher.
pid_t Launcher() {
  pid_t launcher = getpid();
  bool found = false;
  for (pid_t who = launcher; Process()->ranks > 1 && who > 1;) {
    const Ancestor ancestor = Read(who);
    const bool is_launcher = IsLauncher(ancestor.name);
    if (found && !is_launcher) break;
    if (is_launcher) launcher = who;
    found = is_launcher;
    who = ancestor.parent;
  }
  return launcher;
}

// Build systems keep what their tests write to themselves, and scripts write it to files.
void TellWhereDigestGoes() {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(Launcher()), STDERR_FILENO);
  struct stat info;
  if (stat(path, &info) != 0) return;
  char file[48];
  std::snprintf(file, sizeof file, "%llx:%llx", static_cast<unsigned long long>(info.st_dev),
                static_cast<unsigned long long>(info.st_ino));
  episode::TellRunner("digest", file);
}

}  // namespace

bool CanWriteArchive() {
  if (ending.function == nullptr) {
    ending.function = reinterpret_cast<EpikFinishFunction>(episode::FindInArchiveLibrary("epik_finish", &ending.error));
  }
  return ending.function != nullptr;
}

void WriteArchive(const EpikProcessGroup* group) {
  static EpikFinishResult result;
  const base::FileLimitIgnored ignored;
  const bool measured = episode::CurrentStage() == episode::Stage::kFinishing;
  const bool writes = measured && (group == nullptr || group->rank == 0);
  // If the program has changed its root, the folder is there, but out of our sight.
  const bool removed = writes && base::IsSameWorld() && access(UnfinishedArchive(), F_OK) != 0 && errno == ENOENT;
  if (removed) mkdir(UnfinishedArchive(), 0777);  // somebody removed the folder, but our data are still in memory
  EpikFinishRequest request{kEpikFinishVersion,
                            measured ? base::arena_base : nullptr,
                            measured ? Process()->arena.bytes : 0,
                            UnfinishedArchive(),
                            episode::ArchiveFolder(),
                            ending.keep_arenas ? 1 : 0,
                            group,
                            episode::TraceFile()};
  if (CanWriteArchive() && ending.function(&request, &result) == 0) {
    if (measured && !ending.keep_arenas) episode::RemoveArena();
    if (!writes) return;
    if (result.archive[0] == '\0') return;  // there was no call, and nothing is left
    episode::TellRunner("done", result.archive);
    TellWhereDigestGoes();
    SayLines(result.digest);
    return;
  }
  if (!writes) return;
  base::Say("cannot write the archive: %s", ending.function != nullptr ? result.error : ending.error);
  if (removed) rmdir(UnfinishedArchive());
  if (!removed && episode::UnfinishedIsRecoverable()) {
    base::Say("the measurement is kept; type: epk recover %s", UnfinishedArchive());
  } else {
    base::Say("the measurement is lost: it was not in a file");
  }
}

void Finish(event::Ending ending, int value) {
  if (episode::CurrentStage() != episode::Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid()))
    return episode::AwaitEnd();
  // exit() in a handler: it may have interrupted malloc, and writing an archive needs malloc.
  if (InSignalHandler()) return Rescue(ending, value);
  // Writing an archive needs the loader and malloc.
  if (base::LocksMayBeLost()) return Rescue(ending, value);
  // Other processes of the job still run: the last of them writes the archive.
  if (Process()->ranks > 1) return Rescue(ending, value);
  const int saved_errno = errno;
  struct End {
    event::Ending ending;
    int value;
    bool is_ours;
  } end{ending, value, false};
  base::CallOnOwnStack(
      base::OwnStack::kEnd,
      [](void* argument) {
        auto* one = static_cast<End*>(argument);
        one->is_ours = episode::BeginFinish(one->ending, one->value);
        if (!one->is_ours) return;
        if (UnfinishedArchive()[0] != '\0') WriteArchive(nullptr);
        episode::EndFinish();
      },
      &end);
  if (!end.is_ours) episode::AwaitEnd();
  errno = saved_errno;
}

const episode::Part finish_part = {
    .name = "finish", .start = [](const episode::Options& options) { ending.keep_arenas = !options.settings.clean; }};

}  // namespace epik::endings
