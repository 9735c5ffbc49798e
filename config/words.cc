// SPDX-License-Identifier: BSD-3-Clause
#include "config/words.h"

#include "config/growing_match.h"

namespace epik::config {
namespace {

char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char UpperCase(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

}  // namespace

namespace internal {

bool ElementMatches(std::string_view pattern, size_t at, char c, size_t* next) {
  const char p = pattern[at];
  *next = at + 1;
  if (p == '?') return true;
  if (p == '\\' && at + 1 < pattern.size()) {
    *next = at + 2;
    return pattern[at + 1] == c;
  }
  if (p != '[') return p == c;
  size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  const size_t end = pattern.find(']', i);
  if (end == std::string_view::npos || end == i) return c == '[';  // operator[]
  bool found = false;
  while (i < end) {
    const char low = pattern[i];
    const bool range = i + 2 < end && pattern[i + 1] == '-';
    const char high = range ? pattern[i + 2] : low;
    found |= c >= low && c <= high;
    i += range ? 3 : 1;
  }
  *next = end + 1;
  return found != negated;
}

}  // namespace internal

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

std::string_view Trim(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = LowerCase(c);
  return out;
}

std::string Upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = UpperCase(c);
  return out;
}

bool SameWord(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (LowerCase(a[i]) != LowerCase(b[i])) return false;
  }
  return true;
}

bool GlobMatches(std::string_view pattern, std::string_view text) {
  if (pattern == text) return true;
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    size_t next = 0;
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      resume = t;
    } else if (p < pattern.size() && internal::ElementMatches(pattern, p, text[t], &next)) {
      p = next;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace epik::config
