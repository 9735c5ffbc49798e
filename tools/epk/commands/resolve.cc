// SPDX-License-Identifier: BSD-3-Clause
// epk resolve: finds names for regions that were only addresses when the program ended.
#include "tools/resolve/resolve.h"

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "archive/cubex/reader.h"
#include "archive/cubex/writer.h"
#include "archive/directory/archive.h"
#include "tools/epk/command.h"
#include "tools/epk/message.h"

namespace epik::epk {
namespace {

constexpr char kResolveManual[] = R"(
SYNOPSIS
    epk resolve ARCHIVE [--lines] [--binary FILE]...

DESCRIPTION
  Functions of a program or library without symbols appear in a profile as `libx.so+0x1234`. Given the same file before
  it was stripped, or its separate debug file, this puts names, files and lines in their place. Parts and copies of one
  function become one.

  A file is taken only when its build-id is that of a module of the run: names out of another build would be wrong.
  Without `--binary` the files are looked for where they were during the run, and in /usr/lib/debug.

  A program's end does not take long for the sake of lines: where it has much debug information, some functions have
  names alone, and the digest tells you. `--lines` finds the rest.

  The profile is replaced in one step; when nothing was found, it stays as it is.

EXAMPLES
    epk resolve epik_solver_1x4_sum --binary build/solver build/libmesh.so
    epk resolve epik_solver_1x4_sum --lines --binary solver.debug

EXIT STATUS
  0 when every file was of this run, 1 when one was not: then nothing is changed.

SEE ALSO
  epk-report(1), epk-recover(1)
)";

struct ResolveOptions {
  std::string archive;
  std::vector<std::string> binaries;
  bool lines = false;
};

std::string Plural(uint64_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

void UseFiles(const ResolveOptions& options, resolve::Resolver* resolver) {
  std::string error;
  // A file that the user names must be of this run, or nothing is changed. Files at their old places may have been
  // built anew since, so a wrong one is only noted.
  for (const std::string& file : options.binaries) {
    if (!resolver->Use(file, &error)) throw Fault(error);
  }
  if (!options.binaries.empty()) return;
  for (const std::string& file : resolver->Wanted()) {
    if (!resolver->Use(file, &error)) TellUser("resolve", error);
  }
}

int Resolve(const ResolveOptions& options) {
  archive::Archive archive;
  archive::Profile profile;
  std::string error;
  if (!archive::Open(options.archive, &archive, &error)) throw Fault(error);
  // The build-ids of the run are in the manifest: without them, a file of another build would not be noticed.
  if (!archive.has_manifest)
    throw Fault(archive.path + ": has no " + archive::kManifestName + ", which lists the files that were measured");
  archive::CubexReader reader;
  if (!archive.ReadProfile(&profile, &error) || !reader.Open(archive.summary_path, &error)) throw Fault(error);
  // A profile in memory has no place for the attributes of its file. A second reader takes them, so they survive.
  const archive::Attributes attributes = reader.attributes();
  resolve::Resolver resolver(archive.manifest, options.lines, &profile);
  UseFiles(options, &resolver);
  // Finish merges regions, so it comes before the profile is written.
  const resolve::Count count = resolver.Finish();
  if (count.named + count.lined != 0 && !archive::WriteCubex(archive.summary_path, profile, attributes, &error)) {
    throw Fault(error);
  }
  std::string text = archive.path + ": " + Plural(count.named, "name") + " found";
  if (options.lines) text += ", " + Plural(count.lined, "line") + " added";
  printf("%s, %s without a name\n", text.c_str(),
         count.remaining == 0 ? "nothing is" : (Plural(count.remaining, "function") + " still").c_str());
  for (const auto& [module, n] : count.remaining_in)
    printf("  %s: %llu\n", module.c_str(), static_cast<unsigned long long>(n));
  return kDone;
}

}  // namespace

void AddResolve(cli::App& app, std::function<int()>& run) {
  auto options = std::make_shared<ResolveOptions>();
  app.AddOption("archive", options->archive, "the archive whose profile gets names").TypeName("ARCHIVE").Required();
  app.AddOption("--binary", options->binaries, "a program, library or debug file of the run; may be repeated")
      .TypeName("FILE");
  app.AddFlag("--lines", options->lines, "add files and lines where only names are known, too");
  app.Footer(kResolveManual);
  run = [options] { return Resolve(*options); };
}

}  // namespace epik::epk
