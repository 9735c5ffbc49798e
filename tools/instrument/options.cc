// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/options.h"

#include <algorithm>
#include <string_view>

#include "tools/instrument/compiler.h"
#include "tools/instrument/words.h"

namespace epik::instrument {

void DeclareOptions(cli::App& app, Options& options) {
  app.AddFlag("--user", options.user_api, "the program uses epik/epik.h: define EPIK, add its folder");
  app.AddFlag("!--no-compiler", options.compiler_hooks, "no function hooks: only link the measurement library");
  app.AddOption("--filter", options.filter, "leave out the functions and files that this file names").TypeName("FILE");
  app.AddFlag("--all-calls", options.all_calls, "hooks in system headers and inlined functions too (slow programs)");
  app.AddFlag("--keep-going", options.keep_going, "when the instrumented command fails, run the plain one");
  app.AddFlag("-n,--dry-run", options.dry_run, "print the command, do not run it");
  app.AddFlag("-v,--verbose", options.verbose, "print the command to stderr, then run it");
  app.AddOption("--print-flags", options.print_flags, "print the flags for a Makefile: compile or link")
      .TypeName("STEP")
      .OneOf({"compile", "link"});
  app.AddOption("--libdir", options.library_dirs, "where libepk.so is").TypeName("DIR");
  app.AddOption("--includedir", options.include_dir, "where epik/epik.h is").TypeName("DIR");
  app.TakeProgram();
}

std::string ApplyEnvironment(const char* mode, const char* flags, Options& options) {
  const std::string_view value = mode == nullptr ? "" : mode;
  if (value == "off" || value == "0" || value == "no") {
    options.off = true;
  } else if (!value.empty() && value != "on" && value != "1" && value != "yes") {
    return "EPK_INSTRUMENT=" + std::string(value) + " is neither on nor off";
  }
  Words words = SplitWords(flags == nullptr ? "" : flags);
  if (words.empty()) return "";
  cli::App app;
  DeclareOptions(app, options);
  const cli::Parsed parsed = app.Parse(words);
  if (parsed.outcome != cli::Parsed::kGood) return "EPK_INSTRUMENT_FLAGS: " + parsed.error;
  if (!app.rest().empty()) return "EPK_INSTRUMENT_FLAGS: " + app.rest()[0] + " is not an option";
  return "";
}

void SetDefaultFolders(const std::string& program, Options& options) {
  const std::string bin = program.substr(0, std::min(program.rfind('/'), program.size()));
  if (options.library_dirs.empty()) options.library_dirs = {NormalizePath(bin + "/../lib")};
  if (options.include_dir.empty()) options.include_dir = NormalizePath(bin + "/../include");
}

}  // namespace epik::instrument
