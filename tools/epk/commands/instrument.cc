// SPDX-License-Identifier: BSD-3-Clause
// epk instrument: compiles and links with measurement, by the compiler's own command.
#include <functional>
#include <memory>

#include "tools/epk/command.h"
#include "tools/epk/install_dirs.h"
#include "tools/instrument/execute.h"
#include "tools/instrument/options.h"

namespace epik::epk {
namespace {

constexpr char kInstrumentManual[] = R"(
SYNOPSIS
    epk instrument [OPTIONS] COMPILER ARGUMENTS...
    epk instrument [OPTIONS] --print-flags compile|link [COMPILER]

DESCRIPTION
  Runs the compiler and adds what a measurement needs: hooks at function entry and exit where it compiles, the library
  `libepk.so` where it links. Everything else of the command stays as it is, and so does its exit status. gcc, g++,
  gfortran, clang, clang++ and the MPI wrappers around them are known, behind ccache and the like too.

  Functions that the compiler inlines get no hooks, nor do functions of system headers: they are most of the calls of
  a C++ program and tell nothing. EPIK has plugins for that, `libepk_gccN.so` and `libepk_clangN.so`, each for one
  version of the compiler. Where gcc refuses its plugin, `epk instrument` uses -finstrument-functions, which marks
  inlined functions, too; where clang does, its own hooks after inlining. EPK_VERBOSE=1 reports that. --all-calls
  instruments every function of the source. `-g1` is added unless the command chooses the debug information itself; it
  gives the report files and lines, and the code stays the same.

  A command that only asks something (versions, preprocessing, a test that configure, CMake or Meson tries) runs
  unchanged, so that

    CC="epk instrument gcc" CXX="epk instrument g++" cmake -B build
    ./configure CC="epk instrument mpicc" FC="epk instrument mpifort"

  need nothing else.

COMPILERS OF ONE WORD
  The links epk-gcc, epk-g++, epk-gfortran, epk-clang, epk-clang++, epk-cc, epk-c++, epk-mpicc, epk-mpicxx and epk-mpifort
  beside epk are `epk instrument gcc` and so on: for builds that look for $CC in PATH, quote it, or write it into a
  header. A link that you make yourself (epk-gcc-12, epk-mpicc.mpich) works the same.

FILTER
  --filter names a filter, the same as for EPK_FILTER: lines EXCLUDE or INCLUDE with REGION, MANGLED, FILE, OBJECT or
  GROUP and a pattern, plain names, and the files of Score-P and TAU. docs/choosing.md has the details; `epk reduce`
  and `epk score --suggest` write filters. The plugins take it as it is, but for rules about an OBJECT. Without its
  plugin gcc gets exclude lists, which leave out whatever contains the text, and clang gets nothing. `epk instrument`
  names the rules that the compiler cannot take; leave these to the run (`epk run -f`).

LINK TIME
  With -flto functions are compiled when linking: `epk instrument` must stand before that command, too.

ENVIRONMENT
    EPK_INSTRUMENT=off     run the command unchanged
    EPK_INSTRUMENT_FLAGS   options, as before the compiler: for epk-gcc
    EPK_VERBOSE=1          say when gcc marks inlined functions, and why

EXAMPLES
    epk instrument mpicc -O2 -fopenmp solver.c -o solver
    make CC="epk instrument gcc"
    ./configure CC=epk-mpicc FC=epk-mpifort
    OMPI_CC=epk-gcc mpicc -c solver.c
    CXXFLAGS += $(shell epk instrument --print-flags compile g++)
    LDLIBS += $(shell epk instrument --print-flags link g++)

EXIT STATUS
  The compiler's; 2 when no compiler was given.

SEE ALSO
  epk-run(1), epk-report(1), epk-score(1), epk-reduce(1)
)";

}  // namespace

void AddInstrument(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<instrument::Options>();
  instrument::DeclareOptions(app, *options);
  app.Footer(kInstrumentManual);
  // The folders are looked for when the command runs, because manuals and completion declare all options, too. The
  // words of the compiler are known only then.
  run = [&app, options] {
    const InstallDirs dirs = FindInstallDirs();
    // Folders that the user names win over those of the installation.
    if (options->include_dir.empty()) options->include_dir = dirs.include.string();
    if (options->library_dirs.empty()) {
      for (const auto& folder : dirs.libraries) options->library_dirs.push_back(folder.string());
    }
    return instrument::Run(app.rest(), *options);
  };
}

}  // namespace epik::epk
