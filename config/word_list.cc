// SPDX-License-Identifier: BSD-3-Clause
#include "config/word_list.h"

#include "config/words.h"

namespace epik::config {
namespace {

// Calls visit(word, position) for every blank-separated word until it returns false; "|" is skipped.
template <class Visit>
void ForEachWord(const char* words, Visit visit) {
  std::string_view rest = words;
  for (int position = 0; !(rest = Trim(rest)).empty();) {
    const size_t end = rest.find(' ');
    const std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
    if (word == "|") continue;
    if (!visit(word, position++)) return;
  }
}

}  // namespace

int FindWord(const char* words, std::string_view word) {
  int found = -1;
  ForEachWord(words, [&](std::string_view known, int position) {
    if (SameWord(known, Trim(word))) found = position;
    return found < 0;
  });
  return found;
}

std::string WordAt(const char* words, int position) {
  std::string out;
  ForEachWord(words, [&](std::string_view word, int at) {
    if (at == position) out = word;
    return at < position;
  });
  return out;
}

std::string JoinWords(const char* words, const char* separator) {
  std::string out;
  ForEachWord(words, [&](std::string_view word, int) {
    if (!out.empty()) out += separator;
    out += word;
    return true;
  });
  return out;
}

}  // namespace epik::config
