// SPDX-License-Identifier: BSD-3-Clause
#include "config/filter_regex.h"

namespace epik::config {
namespace {

// For some expressions, the C library takes unbounded memory and time. A filter is read inside the user's program, so
// such expressions are refused.
const char* Danger(std::string_view pattern) {
  constexpr size_t kLongest = 1000;
  constexpr int kDeepest = 50;
  if (pattern.size() > kLongest) return "longer than 1000 characters";
  constexpr int kMostRepeatedGroups = 8;  // each may double the memory
  int depth = 0, repeated_groups = 0;
  char before = '\0';
  for (size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    const bool repeats = c == '*' || c == '+' || c == '?';
    if (c == '\0') return "a zero byte";
    if (repeats && (before == '*' || before == '+' || before == '?')) return "repeated twice";
    if (repeats && before == ')' && ++repeated_groups > kMostRepeatedGroups) return "too many repeated groups";
    before = c;
    if (c == '\\') {
      ++i;
      if (i < pattern.size() && pattern[i] >= '1' && pattern[i] <= '9') return "a reference back to a group";
    } else if (c == '[') {
      if (i + 1 < pattern.size() && pattern[i + 1] == '^') ++i;
      const size_t end = pattern.find(']', i + 2);  // a ] that comes first belongs to the set
      if (end == std::string_view::npos) return "a [ without its ]";
      i = end;
      before = ']';
    } else if (c == '{') {
      return "counts like a{3} are not taken; write \\{ for the character";
    } else if (c == '(' && ++depth > kDeepest) {
      return "too many groups";
    }
  }
  return nullptr;
}

}  // namespace

FilterRegex::FilterRegex(const std::string& pattern, std::string* error) {
  if (const char* danger = Danger(pattern); danger != nullptr) {
    *error = danger;
    return;
  }
  const int status = regcomp(&compiled_, pattern.c_str(), REG_EXTENDED | REG_NOSUB);
  if (status == 0) {
    valid_ = true;
    return;
  }
  char text[128];
  regerror(status, &compiled_, text, sizeof text);
  *error = text;
}

FilterRegex::~FilterRegex() {
  if (valid_) regfree(&compiled_);
}

bool FilterRegex::Matches(std::string_view text) const {
  return regexec(&compiled_, std::string(text).c_str(), 0, nullptr, 0) == 0;
}

}  // namespace epik::config
