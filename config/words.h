// SPDX-License-Identifier: BSD-3-Clause
// Words and patterns as people write them, independent of the locale: the program around us may have set any.
#ifndef EPIK_CONFIG_WORDS_H_
#define EPIK_CONFIG_WORDS_H_

#include <string>
#include <string_view>

namespace epik::config {

bool IsBlank(char c);
bool IsDigit(char c);
std::string_view Trim(std::string_view text);
std::string Lower(std::string_view text);
std::string Upper(std::string_view text);
bool SameWord(std::string_view a, std::string_view b);  // upper and lower case are the same

// * any text, ? any character, [a-z] [!a-z] one of a set, \ takes the next as it stands. A [ that opens no set stands
// for itself, and so does every text for itself.
bool GlobMatches(std::string_view pattern, std::string_view text);

}  // namespace epik::config

#endif  // EPIK_CONFIG_WORDS_H_
