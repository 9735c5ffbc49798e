// SPDX-License-Identifier: BSD-3-Clause
//
// The part of a compiler's command that reaches the linker, read as the linker reads it: `-Wl,A,B`, `-Xlinker A` and
// plain words form one sequence, in which an option may take its value from the next linker word, even if another word
// of the compiler holds it.
#ifndef EPIK_TOOLS_INSTRUMENT_LINKER_WORDS_H_
#define EPIK_TOOLS_INSTRUMENT_LINKER_WORDS_H_

#include <cstddef>
#include <string>

#include "tools/instrument/words.h"

namespace epik::instrument {

struct LinkerWords {
  // Words put before this index of the command come before every library, and never between an option and its value.
  size_t first_library = 0;
  Words libraries;  // as the command names them: -lNAME, -l:FILE, paths
  Words folders;    // -L
};

// `words`: a whole command, with the compiler's own word at index `compiler`.
LinkerWords ReadLinkerWords(const Words& words, size_t compiler, const ReadFile& read_file);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_LINKER_WORDS_H_
