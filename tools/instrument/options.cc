// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/options.h"

#include <algorithm>
#include <string_view>

#include "CLI/CLI.hpp"
#include "tools/instrument/compiler.h"
#include "tools/instrument/words.h"

namespace epik::instrument {

void DeclareOptions(CLI::App& app, Options& options) {
  app.add_flag("--user", options.user_api, "the program uses epik/epik.h: define EPIK, add its folder");
  app.add_flag("!--no-compiler", options.compiler_hooks, "no function hooks: only link the measurement library");
  app.add_option("--filter", options.filter, "leave out the functions and files that this file names")
      ->type_name("FILE");
  app.add_flag("--all-calls", options.all_calls, "hooks in system headers and inlined functions too (slow programs)");
  app.add_flag("--keep-going", options.keep_going, "when the instrumented command fails, run the plain one");
  app.add_flag("-n,--dry-run", options.dry_run, "print the command, do not run it");
  app.add_flag("-v,--verbose", options.verbose, "print the command to stderr, then run it");
  app.add_option("--print-flags", options.print_flags, "print the flags for a Makefile: compile or link")
      ->type_name("STEP")
      ->check(CLI::IsMember({"compile", "link"}));
  app.add_option("--libdir", options.library_dirs, "where libepk.so is")
      ->type_name("DIR")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  app.add_option("--includedir", options.include_dir, "where epik/epik.h is")->type_name("DIR");
  app.prefix_command();
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
  CLI::App app;
  DeclareOptions(app, options);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app.parse(words);
  } catch (const CLI::Error& error) {
    return std::string("EPK_INSTRUMENT_FLAGS: ") + error.what();
  }
  if (app.remaining_size() != 0) return "EPK_INSTRUMENT_FLAGS: " + app.remaining()[0] + " is not an option";
  return "";
}

void SetDefaultFolders(const std::string& program, Options& options) {
  const std::string bin = program.substr(0, std::min(program.rfind('/'), program.size()));
  if (options.library_dirs.empty()) options.library_dirs = {NormalizePath(bin + "/../lib")};
  if (options.include_dir.empty()) options.include_dir = NormalizePath(bin + "/../include");
}

}  // namespace epik::instrument
