// SPDX-License-Identifier: BSD-3-Clause
#include "config/filter.h"

#include <algorithm>
#include <iterator>

#include "config/filter_regex.h"
#include "config/nearest.h"
#include "config/paradigms.h"
#include "config/words.h"

namespace epik::config {
namespace {

using Chain = FilterRule::Chain;
using Match = FilterRule::Match;

constexpr std::string_view kBlank = " \t\r\v\f";
constexpr std::string_view kFields[] = {"REGION", "MANGLED", "FILE", "OBJECT", "GROUP"};

bool StartsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }
bool EndsWith(std::string_view text, std::string_view with) {
  return text.size() >= with.size() && text.substr(text.size() - with.size()) == with;
}

// The first word, and *rest behind it.
std::string_view FirstWord(std::string_view text, std::string_view* rest) {
  const size_t end = std::min(text.find_first_of(kBlank), text.size());
  *rest = Trim(text.substr(end));
  return text.substr(0, end);
}

bool IsQualifier(std::string_view text) {
  const std::string_view rest = Trim(text);
  if (rest.empty()) return true;
  for (std::string_view word : {"const", "volatile", "&", "noexcept", "["}) {
    if (StartsWith(rest, word)) return true;
  }
  return false;
}

}  // namespace

std::string FilterRule::Text() const {
  std::string text = include ? "INCLUDE " : "EXCLUDE ";
  text += kFields[static_cast<size_t>(field)];
  text += match == Match::kRegex ? " regex:" : " ";
  return text + pattern;
}

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
  // The return type ends at the last blank outside of <> and ().
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '(' ? 1 : name[i] == '>' || name[i] == ')' ? -1 : 0;
    if (name[i] == ' ' && depth == 0) start = i + 1;
  }
  return name.substr(start);
}

bool GlobMatchesName(std::string_view glob, std::string_view name) {
  return GlobMatches(glob, name) || GlobMatches(glob, QualifiedName(name));
}

bool LooksLikeFile(std::string_view line) {
  if (line.find('/') != std::string_view::npos && line.find("operator/") == std::string_view::npos) return true;
  for (std::string_view suffix : {".c", ".h",   ".cc",  ".cpp", ".cxx", ".hpp", ".hh",  ".hxx", ".C",   ".H", ".f",
                                  ".F", ".f90", ".F90", ".f95", ".f03", ".f08", ".inl", ".tcc", ".ipp", ".cu"}) {
    if (EndsWith(line, suffix)) return true;
  }
  return false;
}

std::vector<std::string> RenderProblems(const std::string& path, const std::vector<FilterProblem>& problems) {
  std::vector<std::string> lines;
  for (const FilterProblem& problem : problems) {
    lines.push_back(path + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " +
                    problem.text);
  }
  return lines;
}

class FilterParser {
 public:
  FilterParser(std::string_view text, Filter* filter, std::vector<FilterProblem>* problems)
      : text_(text), filter_(*filter), problems_(*problems) {}

  void Parse() {
    while (!text_.empty() || number_ == 0) {
      const size_t end = std::min(text_.find('\n'), text_.size());
      whole_ = text_.substr(0, end);
      ++number_;
      ReadLine(Trim(whole_));
      if (end == text_.size()) break;
      text_.remove_prefix(end + 1);
    }
    if (block_ != Block::kNone) {
      number_ = opened_;
      whole_ = {};
      Tell(whole_, "this block has no end");
    }
    AddImplied();
  }

 private:
  enum class Block : uint8_t { kNone, kScorepRegions, kScorepFiles, kTauNames, kTauFiles, kSkipped };

  struct Marker {
    std::string_view begin, end;
    Block block;
    bool include;
  };
  static constexpr Marker kMarkers[] = {
      {"SCOREP_REGION_NAMES_BEGIN", "SCOREP_REGION_NAMES_END", Block::kScorepRegions, false},
      {"SCOREP_FILE_NAMES_BEGIN", "SCOREP_FILE_NAMES_END", Block::kScorepFiles, false},
      {"BEGIN_EXCLUDE_LIST", "END_EXCLUDE_LIST", Block::kTauNames, false},
      {"BEGIN_INCLUDE_LIST", "END_INCLUDE_LIST", Block::kTauNames, true},
      {"BEGIN_FILE_EXCLUDE_LIST", "END_FILE_EXCLUDE_LIST", Block::kTauFiles, false},
      {"BEGIN_FILE_INCLUDE_LIST", "END_FILE_INCLUDE_LIST", Block::kTauFiles, true},
      {"BEGIN_INSTRUMENT_SECTION", "END_INSTRUMENT_SECTION", Block::kSkipped, false},
  };

  void Tell(std::string_view at, std::string text) {
    // `at` is a piece of the line.
    const auto column = at.data() == nullptr ? 0 : at.data() - whole_.data();
    problems_.push_back({number_, static_cast<int>(column) + 1, std::move(text)});
  }

  void ReadLine(std::string_view line) {
    if (line.empty()) return;
    if (block_ == Block::kNone) return ReadOutside(line);
    std::string_view rest;
    const std::string_view word = FirstWord(line, &rest);
    if (word == end_) {
      block_ = Block::kNone;
      return;
    }
    for (const Marker& marker : kMarkers) {
      if (word != marker.begin) continue;
      Tell(word, "the block before it has no " + std::string(end_));
      return Open(marker, word);
    }
    switch (block_) {
      case Block::kScorepRegions:
      case Block::kScorepFiles: return ReadScorep(line);
      case Block::kTauNames:
      case Block::kTauFiles: return ReadTau(line);
      default: return;
    }
  }

  void Open(const Marker& marker, std::string_view word) {
    block_ = marker.block;
    include_ = marker.include;
    mangled_ = false;
    said_ = false;
    end_ = marker.end;
    opened_ = number_;
    if (marker.block == Block::kSkipped) Tell(word, "sections of statements are not EPIK's: skipped");
    if (!marker.include) return;
    (marker.block == Block::kTauNames ? tau_names_ : tau_files_) = true;
  }

  void ReadOutside(std::string_view line) {
    if (line[0] == '#') return;
    std::string_view rest;
    const std::string_view word = FirstWord(line, &rest);
    for (const Marker& marker : kMarkers) {
      if (word == marker.begin) return Open(marker, word);
      if (word == marker.end) return Tell(word, "the end of a block that was not begun");
    }
    if (StartsWith(word, "SCOREP_") || StartsWith(word, "BEGIN_")) {
      std::vector<std::string_view> known;
      for (const Marker& marker : kMarkers) known.push_back(marker.begin);
      const std::string_view near = Nearest(word, known);
      if (!near.empty()) return Tell(word, std::string(word) + " is not known: " + std::string(near) + "?");
    }
    const bool excludes = word == "EXCLUDE" || word == "exclude";
    const bool includes = word == "INCLUDE" || word == "include";
    if (word == "EXCLUDE" || word == "INCLUDE" || ((excludes || includes) && !rest.empty())) {
      return ReadRule(includes, word, rest);
    }
    // In the original EPIK, the whole line is a name. It knew no comments; here " #" begins one, because people mean
    // that.
    const size_t comment = line.find(" #");
    if (comment != std::string_view::npos) line = Trim(line.substr(0, comment));
    const bool file = LooksLikeFile(line) && !StartsWith(line, "regex:");
    Add(line, false, file ? FilterField::kFile : FilterField::kRegion, Chain::kOwn, Match::kGlob);
  }

  void ReadRule(bool include, std::string_view word, std::string_view rest) {
    if (const size_t comment = rest.find(" #"); comment != std::string_view::npos) rest = Trim(rest.substr(0, comment));
    if (StartsWith(rest, "#")) rest = {};
    if (rest.empty()) return Tell(word, std::string(word) + " what? a pattern is missing");
    std::string_view pattern;
    const std::string_view name = FirstWord(rest, &pattern);
    for (size_t i = 0; i < std::size(kFields); ++i) {
      if (name != kFields[i]) continue;
      if (pattern.empty()) return Tell(name, std::string(name) + " what? a pattern is missing");
      const auto field = static_cast<FilterField>(i);
      if (field == FilterField::kGroup && !IsGroup(pattern)) return;
      return Add(pattern, include, field, Chain::kOwn, Match::kGlob);
    }
    Add(rest, include, FilterField::kRegion, Chain::kOwn, Match::kGlob);
  }

  bool IsGroup(std::string_view word) {
    std::string words;
    for (const Paradigm& row : kParadigms) {
      if (!CanBeFiltered(row)) continue;
      if (word == row.word || word == row.class_word) return true;
      words += (words.empty() ? "" : ", ") + std::string(row.word);
    }
    if (word == "COM") {
      Tell(word, "COM depends on the call tree: `epk reduce --only-mpi-callers` writes the list of these regions");
    } else {
      words.replace(words.rfind(", "), 2, " or ");
      Tell(word, std::string(word) + " is no group: " + words);
    }
    return false;
  }

  // Words are separated by blanks; a backslash makes a blank or # part of a word.
  void ReadScorep(std::string_view line) {
    size_t at = 0;
    while (at < line.size()) {
      at = line.find_first_not_of(kBlank, at);
      if (at == std::string_view::npos || line[at] == '#') return;
      size_t end = at;
      while (end < line.size() && kBlank.find(line[end]) == std::string_view::npos) end += line[end] == '\\' ? 2 : 1;
      end = std::min(end, line.size());
      const std::string_view word = line.substr(at, end - at);
      at = end;
      if (word == "EXCLUDE" || word == "INCLUDE") {
        include_ = word == "INCLUDE";
        said_ = true;
        mangled_ = false;
      } else if (word == "MANGLED") {
        mangled_ = true;
      } else if (!said_) {
        Tell(word, "INCLUDE or EXCLUDE is missing before " + std::string(word));
        return;
      } else {
        const bool files = block_ == Block::kScorepFiles;
        const FilterField names = mangled_ ? FilterField::kMangled : FilterField::kRegion;
        Add(word, include_, files ? FilterField::kFile : names, files ? Chain::kFiles : Chain::kRegions, Match::kGlob);
      }
    }
  }

  // One pattern a line. # begins a comment only at the start of a line, and is a wildcard elsewhere. A pattern that
  // begins with # is quoted: "#foo#".
  void ReadTau(std::string_view line) {
    if (line[0] == '#') return;
    if (line[0] == '"') {
      line.remove_prefix(1);
      if (EndsWith(line, "\"")) line.remove_suffix(1);
      line = Trim(line);
      if (line.empty()) return;
    }
    if (block_ == Block::kTauFiles) {
      return Add(line, include_, FilterField::kFile, include_ ? Chain::kOnlyFiles : Chain::kFiles, Match::kGlob);
    }
    Add(line, include_, FilterField::kRegion, include_ ? Chain::kOnlyRegions : Chain::kRegions, Match::kTau);
  }

  void Add(std::string_view pattern, bool include, FilterField field, Chain chain, Match match) {
    constexpr std::string_view kRegex = "regex:";
    std::shared_ptr<const FilterRegex> regex;
    if (match == Match::kGlob && StartsWith(pattern, kRegex)) {
      const std::string_view expression = pattern.substr(kRegex.size());
      std::string error;
      auto compiled = std::make_shared<FilterRegex>(std::string(expression), &error);
      if (!compiled->valid()) return Tell(expression, "not a regular expression: " + error);
      regex = std::move(compiled);
      pattern = expression;
      match = Match::kRegex;
    }
    filter_.rules_.push_back({include, field, match, chain, false, std::string(pattern), number_});
    filter_.regexes_.push_back(std::move(regex));
  }

  // With an include list, TAU measures nothing else.
  void AddImplied() {
    for (const bool files : {false, true}) {
      if (!(files ? tau_files_ : tau_names_)) continue;
      const FilterRule all{false,
                           files ? FilterField::kFile : FilterField::kRegion,
                           Match::kGlob,
                           files ? Chain::kOnlyFiles : Chain::kOnlyRegions,
                           true,
                           "*",
                           0};
      filter_.rules_.insert(filter_.rules_.begin(), all);
      filter_.regexes_.insert(filter_.regexes_.begin(), nullptr);
    }
  }

  std::string_view text_;
  Filter& filter_;
  std::vector<FilterProblem>& problems_;
  std::string_view whole_;  // the line
  int number_ = 0;          // of the line
  Block block_ = Block::kNone;
  std::string_view end_;  // of the block
  int opened_ = 0;        // line the block began in
  bool include_ = false, mangled_ = false, said_ = false;
  bool tau_names_ = false, tau_files_ = false;  // there is an include list
};

Filter Filter::Parse(std::string_view text, std::vector<FilterProblem>* problems) {
  Filter filter;
  FilterParser(text, &filter, problems).Parse();
  return filter;
}

}  // namespace epik::config
