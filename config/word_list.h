// SPDX-License-Identifier: BSD-3-Clause
// The words that a setting accepts, as one text: separated by blanks, "|" between them for readers.
#ifndef EPIK_CONFIG_WORD_LIST_H_
#define EPIK_CONFIG_WORD_LIST_H_

#include <string>
#include <string_view>

namespace epik::config {

// The position of `word`, upper or lower case; -1 if it is not there.
int FindWord(const char* words, std::string_view word);
std::string WordAt(const char* words, int position);
std::string JoinWords(const char* words, const char* separator);

}  // namespace epik::config

#endif  // EPIK_CONFIG_WORD_LIST_H_
