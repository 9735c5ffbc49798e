// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/filter.h"

#include <sstream>

namespace epik::instrument {
namespace {

// gcc leaves out every function whose name contains the text: one or two letters would leave out half the program.
constexpr size_t kShortest = 3;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

bool IsFile(std::string_view line) {
  if (line.find('/') != std::string_view::npos && line.find("operator/") == std::string_view::npos) return true;
  for (std::string_view suffix : {".c", ".h",   ".cc",  ".cpp", ".cxx", ".hpp", ".hh",  ".hxx", ".C",   ".H", ".f",
                                  ".F", ".f90", ".F90", ".f95", ".f03", ".f08", ".inl", ".tcc", ".ipp", ".cu"}) {
    if (EndsWith(line, suffix)) return true;
  }
  return false;
}

// A star before these is a pointer in a type: vec<char*>, int (*)(int).
bool IsGlob(std::string_view pattern) {
  if (pattern.find("operator") != std::string_view::npos) return false;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool pointer =
        i + 1 < pattern.size() && std::string_view(")>,& ").find(pattern[i + 1]) != std::string_view::npos;
    if (pattern[i] == '?' || (pattern[i] == '*' && !pointer)) return true;
  }
  return false;
}

bool IsQualifier(std::string_view text) {
  const std::string_view rest = Trim(text);
  if (rest.empty()) return true;
  for (std::string_view word : {"const", "volatile", "&", "noexcept", "["}) {
    if (StartsWith(rest, word)) return true;
  }
  return false;
}

// gcc compares with the qualified name alone: `double ns::f<int>(int) const` is `ns::f<int>` to it.
std::string_view QualifiedName(std::string_view name) {
  const size_t close = name.rfind(')');
  if (close != std::string_view::npos && IsQualifier(name.substr(close + 1))) {
    int depth = 0;
    size_t open = close + 1;
    do {
      --open;
      depth += name[open] == ')' ? 1 : name[open] == '(' ? -1 : 0;
    } while (open > 0 && depth > 0);
    if (depth == 0 && !EndsWith(name.substr(0, open), "operator")) name = name.substr(0, open);
  }
  if (name.find("operator") != std::string_view::npos) return name;
  // What stands before the last blank outside of <> and () is the type it returns.
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '(' ? 1 : name[i] == '>' || name[i] == ')' ? -1 : 0;
    if (name[i] == ' ' && depth == 0) start = i + 1;
  }
  return name.substr(start);
}

}  // namespace

Filter ParseFilter(std::string_view text) {
  Filter filter;
  std::istringstream lines{std::string(text)};
  for (std::string raw; std::getline(lines, raw);) {
    const std::string_view line = Trim(std::string_view(raw).substr(0, raw.find('#')));
    if (line.empty()) continue;
    const bool file = IsFile(line);
    std::string_view pattern = file ? line : QualifiedName(Trim(line));
    // Containing the text is what *text* means; text alone and text* are taken for it as well.
    while (StartsWith(pattern, "*") && !EndsWith(pattern, "operator*")) pattern.remove_prefix(1);
    while (EndsWith(pattern, "*") && !EndsWith(pattern, "operator*")) pattern.remove_suffix(1);
    const bool glob = IsGlob(pattern);
    if (glob || pattern.size() < kShortest) {
      filter.inexpressible.emplace_back(line);
    } else {
      (file ? filter.files : filter.functions).emplace_back(pattern);
    }
  }
  return filter;
}

std::string JoinForGcc(std::string_view option, const Words& names) {
  std::string out(option);
  for (size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? "=" : ",";
    for (char c : names[i]) out += c == ',' ? std::string("\\,") : std::string(1, c);
  }
  return out;
}

}  // namespace epik::instrument
