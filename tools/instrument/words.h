// SPDX-License-Identifier: BSD-3-Clause
//
// Words of a command line: split as gcc splits its response files, joined as a shell would read them back.
#ifndef EPIK_TOOLS_INSTRUMENT_WORDS_H_
#define EPIK_TOOLS_INSTRUMENT_WORDS_H_

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace epik::instrument {

using Words = std::vector<std::string>;
using ReadFile = std::function<std::optional<std::string>(const std::string& path)>;

// gcc's rules: blanks separate, ' and " quote, a backslash takes the next character as it is, everywhere.
Words SplitWords(std::string_view text);

// Replaces every @FILE by the words in FILE, also within such files. As in gcc, @FILE stays a word when FILE cannot be
// read.
Words ExpandResponseFiles(const Words& words, const ReadFile& read_file);

// A command as its user types it in a POSIX shell.
std::string ShellQuote(const Words& words);

// Whether the word is one of the rows.
template <class Rows>
bool Contains(const Rows& rows, std::string_view word) {
  return std::find(rows.begin(), rows.end(), word) != rows.end();
}

bool StartsWith(std::string_view text, std::string_view prefix);
bool EndsWith(std::string_view text, std::string_view suffix);

// The part after the last slash.
std::string_view BaseName(std::string_view path);

}  // namespace epik::instrument

#endif  // EPIK_TOOLS_INSTRUMENT_WORDS_H_
