// SPDX-License-Identifier: BSD-3-Clause
// Words of commands that a user copies into a shell.
#ifndef EPIK_VIEW_SHELL_H_
#define EPIK_VIEW_SHELL_H_

#include <string>
#include <vector>

namespace epik::view {

// Quotes a word, such as a path, where a shell would take it for something else.
std::string InShell(const std::string& word);

// A command of these words, for people: without characters that a terminal would obey.
std::string InShell(const std::vector<std::string>& words);

}  // namespace epik::view

#endif  // EPIK_VIEW_SHELL_H_
