// SPDX-License-Identifier: BSD-3-Clause
//
// Recognizes the compiler that a word names, and asks it about itself.
#ifndef EPIK_TOOLS_INSTRUMENT_COMPILER_H_
#define EPIK_TOOLS_INSTRUMENT_COMPILER_H_

#include <string>
#include <string_view>
#include <vector>

#include "tools/instrument/mpi_library.h"
#include "tools/instrument/words.h"

namespace epik::instrument {

enum class Language { kNone, kC, kCxx, kFortran, kAssembler };
enum class Family { kUnknown, kGnu, kClang };

// Facts from the name alone: x86_64-linux-gnu-g++-12 is a C++ compiler, mpif90.mpich a Fortran one.
struct CompilerName {
  bool known = false;
  bool mpi = false;  // a wrapper that adds MPI's flags
  Language language = Language::kNone;
  Family family = Family::kUnknown;
};
CompilerName RecognizeCompiler(std::string_view word);

// The compiler that a link to `epk` stands for: epk-gcc and /opt/bin/epk-mpicc.mpich do for gcc and mpicc.mpich. Empty
// for all other names.
std::string CompilerOfLink(std::string_view program);

// ccache, distcc and the like: the compiler is a later word.
bool IsCompilerLauncher(std::string_view word);

// Whether the option takes the next word as its value. Joined forms (-Idir, --sysroot=dir) do not.
bool TakesValue(std::string_view option);

// make, cmake, configure …: a person meant "build this with instrumentation".
bool IsBuildTool(std::string_view word);

// The answers of the compiler.
struct CompilerFacts {
  Family family = Family::kUnknown;
  int major = 0;  // version
  Mpi mpi = Mpi::kNone;
  std::vector<std::string> system_dirs;  // folders of headers that do not belong to the program
};

// Reads the stderr of `COMPILER -v -E -x LANGUAGE /dev/null`, in the C locale.
CompilerFacts ParseVerboseOutput(std::string_view text);

// Reads the output of `mpicc -show`.
Mpi ParseWrapperOutput(std::string_view text);

// The same folder without `.`, `..` and doubled slashes, by its text alone.
std::string NormalizePath(std::string_view path);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_COMPILER_H_
