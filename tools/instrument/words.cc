// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/words.h"

#include <cctype>
#include <cstddef>

#include "view/shell.h"

namespace epik::instrument {
namespace {

// Response files may name each other, so the depth needs a limit. gcc's limit is higher; no build comes near either
// limit.
constexpr int kMaxDepth = 20;

void Expand(const Words& words, const ReadFile& read_file, int depth, Words& out) {
  for (const std::string& word : words) {
    std::optional<std::string> text;
    if (word.size() > 1 && word[0] == '@' && depth < kMaxDepth && read_file) text = read_file(word.substr(1));
    if (text) {
      Expand(SplitWords(*text), read_file, depth + 1, out);
    } else {
      out.push_back(word);
    }
  }
}

bool IsBlank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

}  // namespace

// Differs from a shell: a backslash quotes inside '…', too, and there are no variables. gcc reads response files like
// this.
Words SplitWords(std::string_view text) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (IsBlank(c)) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

Words ExpandResponseFiles(const Words& words, const ReadFile& read_file) {
  Words out;
  Expand(words, read_file, 0, out);
  return out;
}

std::string ShellQuote(const Words& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + view::InShell(word);
  return out;
}

bool StartsWith(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

bool EndsWith(std::string_view text, std::string_view suffix) {
  return text.size() >= suffix.size() && text.substr(text.size() - suffix.size()) == suffix;
}

std::string_view BaseName(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace epik::instrument
