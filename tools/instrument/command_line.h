// SPDX-License-Identifier: BSD-3-Clause
//
// Parses a compiler command: its steps and their inputs. Runs nothing; reads response files through a given function.
#ifndef EPIK_TOOLS_INSTRUMENT_COMMAND_LINE_H_
#define EPIK_TOOLS_INSTRUMENT_COMMAND_LINE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "tools/instrument/compiler.h"
#include "tools/instrument/linker_words.h"
#include "tools/instrument/words.h"

namespace epik::instrument {

struct CommandLine {
  // Positions in the command's words.
  bool has_compiler = false;
  size_t compiler = 0;  // index of the compiler's own word, after ccache and the like
  LinkerWords linker;   // a library that must be searched first goes before its first_library
  CompilerName name;

  // The steps of the command.
  bool queries = false;                 // version, help, search paths, preprocessing, dependencies: no code comes out
  bool compiles = false;                // at least one input in a language that can carry hooks
  bool links = false;                   // runs the linker
  Language language = Language::kNone;  // of the first input that carries hooks
  Words inputs;                         // sources, objects, libraries by path
  Words sources;                        // the inputs that carry hooks
  std::string output;
  Words system_dirs;  // -isystem, -idirafter

  // Facts that decide whether hooks and library make sense.
  bool debug = false;  // the user chose a level of debug information
  bool hooks = false;  // the user asked for hooks
  bool shared = false;
  bool relocatable = false;  // -r
  bool is_static = false;
  bool no_libraries = false;  // -nostdlib, -nodefaultlibs
  bool links_libc = false;    // -lc, spelled out
  bool freestanding = false;
  bool lto = false;        // -flto
  bool assembles = false;  // at least one input in assembly language

  // Options that move the system's headers. The compiler is asked with the same options.
  Words probe_options;
};

CommandLine ParseCommandLine(const Words& words, const ReadFile& read_file);

// A compilation that only asks whether a feature works here (autoconf, CMake, Meson, kernel-style makefiles). It must
// get the answer it would get without us, and its program must not be measured.
bool IsConfigureProbe(const CommandLine& line);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_COMMAND_LINE_H_
