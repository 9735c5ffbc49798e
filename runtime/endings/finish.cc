// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/endings/finish.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/abi/finish.h"
#include "runtime/base/auditor.h"
#include "runtime/base/file_limit_ignored.h"
#include "runtime/base/forked.h"
#include "runtime/base/installation.h"
#include "runtime/base/log.h"
#include "runtime/base/own_stack.h"
#include "runtime/endings/digest_place.h"
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
  bool has_auditor = false;  // of the loader
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
__attribute__((constructor)) void OnLoad() {
  on_exit(OnExit, nullptr);
  ending.has_auditor = base::LoaderHasAuditor();
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

namespace {

// Writing an archive needs the loader and malloc.
bool NeedsHelper() {
  // exit() in a handler: it may have interrupted malloc.
  if (InSignalHandler() || base::LocksMayBeLost()) return true;
  // After the destructors, a loader with an auditor may load nothing.
  if (ending.has_auditor) return true;
  // Other processes of the job still run: the last of them writes the archive.
  return Process()->ranks > 1;
}

}  // namespace

void Finish(event::Ending ending, int value) {
  if (episode::CurrentStage() != episode::Stage::kOn || Process()->pid != static_cast<uint32_t>(getpid()))
    return episode::AwaitEnd();
  if (NeedsHelper()) return Rescue(ending, value);
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
