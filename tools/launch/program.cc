// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/program.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "tools/instrument/words.h"

namespace epik::launch {
namespace {

using instrument::StartsWith;

bool IsFile(const std::string& path, struct stat& info) {
  return stat(path.c_str(), &info) == 0 && !S_ISDIR(info.st_mode);
}

bool IsOpenMp(std::string_view name) {
  return StartsWith(name, "libgomp.so") || StartsWith(name, "libomp.so") || StartsWith(name, "libiomp5.so");
}

}  // namespace

std::string FindInPath(const std::string& word) {
  struct stat info;
  if (word.find('/') != std::string::npos) return IsFile(word, info) ? word : "";
  // execvp, too, has a default without PATH, and takes an empty entry for the current folder.
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/bin:/usr/bin" : path;
  while (true) {
    const size_t end = rest.find(':');
    std::string candidate(rest.substr(0, end));
    candidate = (candidate.empty() ? "." : candidate) + "/" + word;
    if (IsFile(candidate, info) && access(candidate.c_str(), X_OK) == 0) return candidate;
    if (end == std::string_view::npos) return "";
    rest.remove_prefix(end + 1);
  }
}

void Classify(const std::vector<Library>& libraries, Program& program) {
  constexpr size_t kNowhere = std::numeric_limits<size_t>::max();
  size_t core = kNowhere;
  size_t adapter = kNowhere;
  size_t mpi = kNowhere;
  size_t openmp = kNowhere;
  // Libraries stand in the order in which the dynamic linker searches them. The first of several MPIs counts.
  for (size_t i = 0; i < libraries.size(); ++i) {
    const Library& library = libraries[i];
    const std::string_view name = std::string_view(library.name).substr(library.name.rfind("/") + 1);
    if (StartsWith(name, "libepk.so")) {
      core = i;
      program.found = !library.path.empty();
    } else if (StartsWith(name, "libepk_mpi_")) {
      adapter = i;
    } else if (MpiOfLibrary(name) != Mpi::kNone && mpi == kNowhere) {
      mpi = i;
      program.mpi = MpiOfLibrary(name);
    } else if (IsOpenMp(name) && openmp == kNowhere) {
      openmp = i;
    } else if (StartsWith(name, "libasan.so")) {
      program.sanitizer = library.path;
    }
    // libc has empty hooks of its own, and hooks in our libraries do not count.
    if (!StartsWith(name, "libepk") && library.elf.wants_hooks) program.hooks = true;
  }
  program.openmp = openmp != kNowhere;
  program.linked = core != kNowhere;
  // kNowhere is larger than all places: a library that is not there comes after all others.
  program.first = program.linked && core < openmp;
  program.adapter_first = adapter != kNowhere && adapter < mpi;
}

Program Inspect(const std::string& path, const SearchPath& search) {
  Program program;
  program.path = path;
  struct stat info;
  if (path.empty() || !IsFile(path, info)) return program;
  // The kind is set before each test, so that the first test that fails decides.
  program.kind = Program::Kind::kNotExecutable;
  if (access(path.c_str(), X_OK) != 0) return program;
  program.kind = Program::Kind::kUnreadable;
  if (access(path.c_str(), R_OK) != 0) return program;
  program.privileged = (info.st_mode & (S_ISUID | S_ISGID)) != 0;
  program.interpreter = ScriptInterpreter(path);
  if (!program.interpreter.empty()) {
    program.kind = Program::Kind::kScript;
    return program;
  }
  const Elf elf = ReadElf(path);
  if (!elf.valid) {
    program.kind = Program::Kind::kUnknown;
    return program;
  }
  program.hooks = elf.wants_hooks || elf.has_own_hooks;
  if (!IsNative(elf)) {
    program.kind = Program::Kind::kForeign;
  } else if (!elf.interpreter) {
    program.kind = Program::Kind::kStatic;
  } else {
    program.kind = Program::Kind::kDynamic;
    Classify(FindLibraries(path, elf, search), program);
  }
  return program;
}

}  // namespace epik::launch
