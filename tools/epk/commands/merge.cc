// SPDX-License-Identifier: BSD-3-Clause
// epk merge: several profiles become one.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/algebra/store.h"
#include "tools/epk/command.h"

namespace epik::epk {
namespace {

constexpr char kManual[] = R"(
SYNOPSIS
    epk merge ARCHIVE... -o OUT

DESCRIPTION
  Two counters that a processor cannot count in one run are counted in two. This makes one profile of them, with the
  metrics of all runs. A metric that several have is taken from the first one named.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet. docs/algebra.md says what counts as the same call
  path in two files.

EXAMPLES
    epk merge epik_solver_cache epik_solver_flops -o epik_solver_counters
    epk merge scorep-run/profile.cubex epik_solver_4x2_sum -o both.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault, 2 for wrong usage.

SEE ALSO
  epk-mean(1), epk-cut(1), epk-report(1)
)";

struct Options {
  std::vector<std::string> archives;
  std::string output;
};

int Run(const Options& options) {
  std::vector<std::string> notes;
  std::string error;
  const bool good = algebra::CombineFiles(algebra::Operation::kMerge, options.archives, options.output, &notes, &error);
  for (const std::string& note : notes) fprintf(stderr, "epk merge: %s\n", note.c_str());
  if (!good) throw Fault(error);
  return kDone;
}

}  // namespace

void AddMerge(CLI::App& app, std::function<int()>& run) {
  auto options = std::make_shared<Options>();
  app.add_option("archives", options->archives, "archives or .cubex files, one or more")
      ->type_name("ARCHIVE")
      ->required();
  app.add_option("-o,--output", options->output, "the result: NAME.cubex, or a directory to make")
      ->type_name("OUT")
      ->required();
  app.footer(kManual);
  run = [options] { return Run(*options); };
}

}  // namespace epik::epk
