// SPDX-License-Identifier: BSD-3-Clause
//
// The options of `epk instrument`, on its command line and in EPK_INSTRUMENT_FLAGS.
#ifndef EPIK_TOOLS_INSTRUMENT_OPTIONS_H_
#define EPIK_TOOLS_INSTRUMENT_OPTIONS_H_

#include <string>
#include <vector>

#include "tools/cli/app.h"

namespace epik::instrument {

struct Options {
  bool off = false;                       // EPK_INSTRUMENT=off: the command is not changed
  bool user_api = false;                  // -DEPIK and the folder of epik/epik.h
  bool compiler_hooks = true;             // function enter and exit
  bool all_calls = false;                 // no default exclusions
  bool keep_going = false;                // when the compiler refuses our options, run it again without them
  bool dry_run = false;                   // print, run nothing
  bool verbose = false;                   // print, then run
  std::string filter;                     // filter file
  std::string print_flags;                // "compile" or "link": only print the options that would be added
  std::vector<std::string> library_dirs;  // folders that may have libepk.so and the MPI adapters
  std::string include_dir;                // folder of epik/epik.h
};

// Declares the options; the words from the first other word on belong to the compiler (App::rest()).
void DeclareOptions(cli::App& app, Options& options);

// Applies EPK_INSTRUMENT and EPK_INSTRUMENT_FLAGS (null when unset). Returns an error in them, or "".
std::string ApplyEnvironment(const char* mode, const char* flags, Options& options);

// Fills the folders not given, for a program at <prefix>/bin/epk.
void SetDefaultFolders(const std::string& program, Options& options);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_OPTIONS_H_
