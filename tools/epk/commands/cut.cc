// SPDX-License-Identifier: BSD-3-Clause
// epk cut: makes a profile of a part of a call tree.
#include "analysis/algebra/cut.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/algebra/store.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"

namespace epik::epk {
namespace {

constexpr char kCutManual[] = R"(
SYNOPSIS
    epk cut [--root REGION]... [--prune REGION]... ARCHIVE -o OUT

DESCRIPTION
  Keeps a part of the call tree. `--root` keeps REGION and all that it calls: each call path of REGION that is not
  below another one becomes a root. `--prune` removes the call paths of REGION with all that they call; their times
  and counts are added to their callers, so that sums do not change. Their shortest and longest times are lost.

  Roots are chosen first, and pruned then. `*` and `?` match in names; a parameter list need not be typed.

  Archives and .cubex files will do, also those of Score-P and Scalasca. The result is such a file again: a .cubex file
  when OUT ends so, otherwise a directory, which must not exist yet.

EXAMPLES
    epk cut --root time_step epik_solver_4x2_sum -o steps.cubex
    epk cut --prune 'std::*' --prune log epik_solver_4x2_sum -o short.cubex

EXIT STATUS
  0 when the result is written, 1 when an input is at fault or has no such region, 2 for wrong usage.

SEE ALSO
  epk-diff(1), epk-merge(1), epk-report(1)
)";

struct CutOptions {
  std::string archive, output;
  algebra::Cuts cuts;
};

int Run(const CutOptions& options) {
  if (options.cuts.roots.empty() && options.cuts.prunes.empty()) {
    // Without a region the result would be the input.
    throw UsageError("name a region with --root or --prune");
  }
  algebra::Inputs inputs;
  std::string error;
  if (!algebra::OpenInputs({options.archive}, &inputs, &error)) throw Fault(error);
  for (const std::string& note : inputs.notes) TellUser("cut", note);
  const algebra::Operand result = algebra::Cut(inputs.operands[0], options.cuts, &error);
  if (result == nullptr) throw Fault(options.archive + ": " + error);
  // The manifest of the result tells how it was made.
  std::string command = "cut";
  for (const std::string& root : options.cuts.roots) command += " --root " + root;
  for (const std::string& prune : options.cuts.prunes) command += " --prune " + prune;
  if (!algebra::Store(*result, command + " of " + options.archive, inputs, options.output, &error)) throw Fault(error);
  return kDone;
}

}  // namespace

void AddCut(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<CutOptions>();
  app.AddOption("archive", options->archive, "an archive or .cubex file").TypeName("ARCHIVE").Required();
  // Both options take one value each time: a list would swallow the archive.
  app.AddOption("--root", options->cuts.roots, "keep what this region calls; may be repeated")
      .TypeName("REGION")
      .OneValueEach();
  app.AddOption("--prune", options->cuts.prunes, "remove this region and what it calls; may be repeated")
      .TypeName("REGION")
      .OneValueEach();
  app.AddOption("-o,--output", options->output, "the result: NAME.cubex, or a directory to make")
      .TypeName("OUT")
      .Required();
  app.Footer(kCutManual);
  run = [options] { return Run(*options); };
}

}  // namespace epik::epk
