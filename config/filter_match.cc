// SPDX-License-Identifier: BSD-3-Clause
// Compares patterns with names, files and groups. docs/choosing.md has the rules for users.
#include <algorithm>
#include <iterator>

#include "config/filter.h"
#include "config/filter_regex.h"
#include "config/paradigms.h"
#include "config/words.h"

namespace epik::config {
namespace {

bool StartsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

// In TAU's names, # is any text, * stands for itself, and blanks do not count.
bool TauMatches(std::string_view pattern, std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  size_t p = 0, t = 0, star = std::string_view::npos, resume = 0;
  const auto skip = [&blank](std::string_view in, size_t at) {
    while (at < in.size() && blank(in[at])) ++at;
    return at;
  };
  while (true) {
    p = skip(pattern, p);
    t = skip(text, t);
    if (p < pattern.size() && pattern[p] == '#') {
      star = ++p;
      resume = t;
      continue;
    }
    if (t == text.size()) return p == pattern.size();
    if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
      continue;
    }
    if (star == std::string_view::npos) return false;
    p = star;
    t = ++resume;
  }
}

// Cuts off what TAU writes before a name, and its remark about a loop or a language after it.
std::string_view WithoutTauRemarks(std::string_view pattern) {
  const size_t place = pattern.find(" [{");
  if (place != std::string_view::npos) pattern = pattern.substr(0, place);
  if (pattern.size() > 2 && pattern.substr(pattern.size() - 2) == " C") pattern.remove_suffix(2);
  return pattern;
}

// The name without its return type, with its parameters.
std::string_view WithoutReturnType(std::string_view name) {
  const std::string_view qualified = QualifiedName(name);
  return name.substr(static_cast<size_t>(qualified.data() - name.data()));
}

bool NameMatches(const FilterRule& rule, std::string_view name) {
  if (rule.match == FilterRule::Match::kTau) {
    const std::string_view pattern = WithoutTauRemarks(rule.pattern);
    // C and Fortran have no parameters in their names.
    if (name.find('(') == std::string_view::npos) {
      std::string_view bare = QualifiedName(pattern);
      bare.remove_prefix(std::min(bare.find_first_not_of("*&"), bare.size()));
      if (TauMatches(bare, name)) return true;
    }
    for (std::string_view wanted : {pattern, WithoutReturnType(pattern)}) {
      for (std::string_view found : {name, WithoutReturnType(name), QualifiedName(name)}) {
        if (TauMatches(wanted, found)) return true;
      }
    }
    return false;
  }
  return GlobMatchesName(rule.pattern, name);
}

// A pattern of files matches the whole path, or its end from a slash on. A folder matches every file in it.
bool PathMatches(std::string_view pattern, std::string_view path) {
  std::string whole;
  if (!pattern.empty() && pattern.back() == '/') {
    whole.append(pattern).append("*");
    pattern = whole;
  }
  if (GlobMatches(pattern, path)) return true;
  for (size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    if (GlobMatches(pattern, path.substr(slash + 1))) return true;
  }
  return false;
}

bool GroupMatches(std::string_view pattern, std::string_view group) {
  for (const Paradigm& row : kParadigms) {
    if (SameWord(group, row.word) && SameWord(pattern, row.class_word)) return true;
  }
  return SameWord(pattern, group);
}

// Most people measure because of MPI and OpenMP. If they exclude everything, they do not mean these regions.
bool MayTouch(const FilterRule& rule, std::string_view group) {
  const Paradigm* paradigm = FindParadigm(group);
  if (paradigm == nullptr || paradigm->begins.empty()) return true;
  if (rule.field == FilterField::kGroup) return true;
  if (rule.field != FilterField::kRegion) return false;
  std::string_view start = rule.pattern;
  if (rule.match == FilterRule::Match::kRegex && StartsWith(start, "^")) start.remove_prefix(1);
  return StartsWith(start, paradigm->begins) ||
         start.find('@') != std::string_view::npos;  // omp_set_lock, barrier @f.c:7
}

}  // namespace

bool Filter::Uses(FilterField field) const {
  for (const FilterRule& rule : rules_) {
    if (rule.field == field) return true;
  }
  return false;
}

bool Filter::NamesConstructs() const {
  for (const FilterRule& rule : rules_) {
    if (rule.field == FilterField::kRegion && rule.pattern.find('@') != std::string::npos) return true;
  }
  return false;
}

bool Filter::Matches(size_t index, const FilterSubject& subject) const {
  const FilterRule& rule = rules_[index];
  if (!MayTouch(rule, subject.group)) return false;
  const FilterRegex* regex = regexes_[index].get();
  const auto text = [&] {
    switch (rule.field) {
      case FilterField::kRegion: return subject.name;
      case FilterField::kMangled: return subject.mangled;
      case FilterField::kFile: return subject.file;
      case FilterField::kObject: return subject.object;
      case FilterField::kGroup: return subject.group;
    }
    return std::string_view();
  }();
  if (rule.implied) return true;
  if (text.empty()) return false;
  if (regex != nullptr) return regex->Matches(text);
  switch (rule.field) {
    case FilterField::kRegion: return NameMatches(rule, text);
    case FilterField::kMangled: return GlobMatches(rule.pattern, text);
    case FilterField::kGroup: return GroupMatches(rule.pattern, text);
    default: return PathMatches(rule.pattern, text);
  }
}

bool Filter::Measures(const FilterSubject& subject, std::vector<bool>* used) const {
  bool measured[5] = {true, true, true, true, true};
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!Matches(i, subject)) continue;
    measured[static_cast<size_t>(rules_[i].chain)] = rules_[i].include;
    if (used != nullptr) (*used)[i] = true;
  }
  return std::all_of(std::begin(measured), std::end(measured), [](bool each) { return each; });
}

std::vector<const FilterRule*> Filter::Unused(const std::vector<bool>& used) const {
  std::vector<const FilterRule*> unused;
  for (size_t i = 0; i < rules_.size(); ++i) {
    if (!rules_[i].implied && !used[i]) unused.push_back(&rules_[i]);
  }
  return unused;
}

}  // namespace epik::config
