// SPDX-License-Identifier: BSD-3-Clause
// Filter files select the regions that are measured. The run (EPK_FILTER), `epk instrument`, `epk score` and `epk
// reduce` share this parser and its meaning; docs/choosing.md explains it for users. It turns text into rules, and
// touches no file.
//
// EPIK's own lines, rules in order, the last one that matches decides:
//   EXCLUDE|INCLUDE [REGION|MANGLED|FILE|OBJECT|GROUP] PATTERN     the pattern is the rest of the line
//   PATTERN                                                        as the original's: excluded; a path is a file
// Blocks of Score-P (SCOREP_REGION_NAMES_BEGIN …, SCOREP_FILE_NAMES_BEGIN …) and TAU (BEGIN_EXCLUDE_LIST …,
// BEGIN_FILE_INCLUDE_LIST …) are read as these tools read them. There are three chains: EPIK's own lines, the blocks'
// rules about regions, and their rules about files. A region is measured when no chain excludes it.
#ifndef EPIK_CONFIG_FILTER_H_
#define EPIK_CONFIG_FILTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

enum class FilterField : uint8_t { kRegion, kMangled, kFile, kObject, kGroup };

struct FilterRule {
  enum class Match : uint8_t { kGlob, kRegex, kTau };
  enum class Chain : uint8_t { kOwn, kRegions, kFiles, kOnlyRegions, kOnlyFiles };  // the last two: TAU's include lists

  bool include = false;
  FilterField field = FilterField::kRegion;
  Match match = Match::kGlob;
  Chain chain = Chain::kOwn;
  bool implied = false;  // not in the file: "everything else", which TAU's include lists leave out
  std::string pattern;
  int line = 0;

  // "EXCLUDE REGION foo*", as EPIK's own line; TAU's wildcards as they stand.
  std::string Text() const;
};

struct FilterProblem {
  int line = 0;
  int column = 0;
  std::string text;
};

// The subject of rules. An empty field is not known, and no rule about it matches.
struct FilterSubject {
  std::string_view name;     // demangled, as in reports
  std::string_view mangled;  // the linker's name
  std::string_view file;     // of the source
  std::string_view object;   // program or library
  std::string_view group;    // compiler user mpi openmp pthread: the words of Region::paradigm
};

class FilterRegex;

class Filter {
 public:
  // Reports lines that cannot be understood, and leaves them out; uses the rest.
  static Filter Parse(std::string_view text, std::vector<FilterProblem>* problems);

  const std::vector<FilterRule>& rules() const { return rules_; }
  bool empty() const { return rules_.empty(); }
  bool Uses(FilterField field) const;
  // Whether some rule may be about single constructs of OpenMP ("barrier @solver.c:42").
  bool NamesConstructs() const;

  // `used` (may be null; as long as rules()) is set for every rule that matched, whether or not it decided.
  bool Measures(const FilterSubject& subject, std::vector<bool>* used = nullptr) const;

  // Rules of the file that `used` has no mark for.
  std::vector<const FilterRule*> Unused(const std::vector<bool>& used) const;

 private:
  friend class FilterParser;
  bool Matches(size_t index, const FilterSubject& subject) const;

  std::vector<FilterRule> rules_;
  std::vector<std::shared_ptr<const FilterRegex>> regexes_;  // by rule; null for the others
};

// `double ns::f<int>(int) const` → `ns::f<int>`: without parameters and the type returned.
std::string_view QualifiedName(std::string_view name);
// Whether the glob matches the name of a function, or its QualifiedName.
bool GlobMatchesName(std::string_view glob, std::string_view name);

// Whether the line is a path or a source file's name, and not the name of a function.
bool LooksLikeFile(std::string_view line);

// "FILE:3:9: …", one for each.
std::vector<std::string> RenderProblems(const std::string& path, const std::vector<FilterProblem>& problems);

}  // namespace epik::config

#endif  // EPIK_CONFIG_FILTER_H_
