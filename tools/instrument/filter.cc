// SPDX-License-Identifier: BSD-3-Clause
#include "tools/instrument/filter.h"

#include <vector>

#include "config/filter.h"

namespace epik::instrument {
namespace {

// gcc leaves out every function whose name contains the text: one or two letters would leave out half the program.
constexpr size_t kShortest = 3;

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
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

// The text that gcc searches names for; empty when gcc cannot express the pattern.
std::string ForGcc(std::string_view whole, bool file) {
  std::string_view pattern = file ? whole : config::QualifiedName(Trim(whole));
  // gcc leaves out every name that contains the text, so only *text* has exactly gcc's meaning. `text` and text* are
  // passed on, too.
  while (StartsWith(pattern, "*") && !EndsWith(pattern, "operator*")) pattern.remove_prefix(1);
  while (EndsWith(pattern, "*") && !EndsWith(pattern, "operator*") && !EndsWith(pattern, "\\*"))
    pattern.remove_suffix(1);
  std::string plain, text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const bool escaped = pattern[i] == '\\' && i + 1 < pattern.size();
    if (escaped) ++i;
    text += pattern[i];
    if (!escaped) plain += pattern[i];
  }
  return IsGlob(plain) || text.size() < kShortest ? "" : text;
}

}  // namespace

Filter ParseFilter(std::string_view text) {
  std::vector<config::FilterProblem> problems;
  const config::Filter rules = config::Filter::Parse(text, &problems);
  Filter filter;
  filter.problems = config::RenderProblems("", problems);
  // gcc's lists have no order and no exceptions, so the rules above an INCLUDE of the same kind are left to the run.
  size_t plain = 0;
  for (size_t i = 0; i < rules.rules().size(); ++i) {
    if (rules.rules()[i].include || rules.rules()[i].implied) plain = i + 1;
  }
  for (size_t i = 0; i < rules.rules().size(); ++i) {
    const config::FilterRule& rule = rules.rules()[i];
    if (rule.field == config::FilterField::kObject) {
      filter.objects.push_back(rule.Text());
      filter.keeps_objects = filter.keeps_objects || rule.include;
    }
    if (rule.include || rule.implied) continue;
    const bool file = rule.field == config::FilterField::kFile;
    const bool names = file || rule.field == config::FilterField::kRegion;
    const std::string pattern = rule.match == config::FilterRule::Match::kRegex ? "" : ForGcc(rule.pattern, file);
    if (i < plain || !names || pattern.empty()) {
      filter.inexpressible.push_back(rule.Text());
    } else {
      (file ? filter.files : filter.functions).push_back(pattern);
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
