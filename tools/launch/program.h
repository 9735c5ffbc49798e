// SPDX-License-Identifier: BSD-3-Clause
//
// Facts about a program that decide how it can be measured.
#ifndef EPIK_TOOLS_LAUNCH_PROGRAM_H_
#define EPIK_TOOLS_LAUNCH_PROGRAM_H_

#include <string>
#include <vector>

#include "tools/instrument/mpi_library.h"
#include "tools/launch/libraries.h"

namespace epik::launch {

struct Program {
  enum class Kind { kMissing, kNotExecutable, kUnreadable, kUnknown, kScript, kStatic, kForeign, kDynamic };
  Kind kind = Kind::kMissing;
  std::string path;
  std::string interpreter;  // of a script
  bool privileged = false;  // setuid, setgid: the dynamic linker ignores LD_PRELOAD
  bool hooks = false;       // it, or a library of it, was compiled with function hooks
  Mpi mpi = Mpi::kNone;
  bool openmp = false;
  bool linked = false;         // needs libepk.so
  bool found = false;          // and the dynamic linker will find it
  bool first = false;          // before the libraries it stands in for
  bool adapter_first = false;  // the same for the MPI adapter
  std::string sanitizer;       // path of the address sanitizer's library, which must come first
};

// The file that execvp would run for `word`: found in PATH unless it has a slash. "": none.
std::string FindInPath(const std::string& word);

Program Inspect(const std::string& path, const SearchPath& search);

// Decides by the order of libraries, in which the dynamic linker searches for symbols; exposed for its test.
void Classify(const std::vector<Library>& libraries, Program& program);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_PROGRAM_H_
