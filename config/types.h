// SPDX-License-Identifier: BSD-3-Clause
// The types a row of settings.def can have. Each has: Value (the field's C++ type), kName (its name in documents),
// Parse (false: refused, the value is untouched), Format (Parse reads it back as the same value), Accepted (the
// accepted values) and Noun (for "not …").
#ifndef EPIK_CONFIG_TYPES_H_
#define EPIK_CONFIG_TYPES_H_

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "config/coll_tree.h"
#include "config/control_signals.h"
#include "config/trace_selection.h"
#include "config/word_list.h"

namespace epik::config {

inline constexpr int64_t kUnlimited = std::numeric_limits<int64_t>::max();

struct Bool {
  using Value = bool;
  static constexpr const char* kName = "bool";
  bool Parse(std::string_view text, bool* value) const;
  std::string Format(bool value) const;
  std::string Accepted() const { return "yes, no (or true, false, on, off, 1, 0)"; }
  std::string Noun() const { return "yes or no"; }
};

// A number from low to high, or one of at most two words that stand for a number.
struct Integer {
  struct Word {
    const char* word;
    int64_t value;
  };

  using Value = int64_t;
  static constexpr const char* kName = "integer";
  int64_t low;
  int64_t high;
  Word words[2] = {};

  bool Parse(std::string_view text, int64_t* value) const;
  std::string Format(int64_t value) const;
  std::string Accepted() const;
  std::string Noun() const { return "a valid number"; }
};

// 0 to high, where yes is 1 and no is 0.
struct Level {
  using Value = int64_t;
  static constexpr const char* kName = "level";
  int64_t high;
  bool Parse(std::string_view text, int64_t* value) const;
  std::string Format(int64_t value) const { return std::to_string(value); }
  std::string Accepted() const { return "0 to " + std::to_string(high) + ", no (0), yes (1)"; }
  std::string Noun() const { return "a level"; }
};

// Bytes.
struct Size {
  using Value = uint64_t;
  static constexpr const char* kName = "size";
  uint64_t low;
  bool Parse(std::string_view text, uint64_t* value) const;
  std::string Format(uint64_t value) const;
  std::string Accepted() const;
  std::string Noun() const { return "a valid size"; }
};

// Nanoseconds.
struct Duration {
  using Value = int64_t;
  static constexpr const char* kName = "duration";
  bool Parse(std::string_view text, int64_t* value) const;
  std::string Format(int64_t value) const;
  std::string Accepted() const { return "a number with ns, us, ms, s or min"; }
  std::string Noun() const { return "a duration"; }
};

// 0 to 100; 0 is called off.
struct Percent {
  using Value = double;
  static constexpr const char* kName = "percent";
  bool Parse(std::string_view text, double* value) const;
  std::string Format(double value) const;
  std::string Accepted() const { return "off, or 0% to 100%"; }
  std::string Noun() const { return "a percentage"; }
};

struct Text {
  using Value = std::string;
  static constexpr const char* kName = "text";
  bool Parse(std::string_view text, std::string* value) const;
  std::string Format(const std::string& value) const { return value; }
  std::string Accepted() const { return "any text"; }
  std::string Noun() const { return "a text"; }
};

struct Path {
  using Value = std::string;
  static constexpr const char* kName = "path";
  bool Parse(std::string_view text, std::string* value) const;
  std::string Format(const std::string& value) const { return value; }
  std::string Accepted() const { return "a path"; }
  std::string Noun() const { return "a path"; }
};

// Part of a file's name.
struct Title {
  using Value = std::string;
  static constexpr const char* kName = "name";
  bool Parse(std::string_view text, std::string* value) const;
  std::string Format(const std::string& value) const { return value; }
  std::string Accepted() const { return "a name without / and control characters"; }
  std::string Noun() const { return "a name for an archive"; }
};

// Words separated by commas; where there is no comma, by single colons ("::" is part of a word). A backslash makes the
// comma, colon or backslash behind it part of the word.
struct List {
  using Value = std::vector<std::string>;
  static constexpr const char* kName = "list";
  bool Parse(std::string_view text, Value* value) const;
  std::string Format(const Value& value) const;
  std::string Accepted() const { return "words separated by , or :"; }
  std::string Noun() const { return "a list"; }
};

// A list of words that are known; upper or lower case. Words behind "|" in `known` are not part of ALL.
struct Groups {
  using Value = std::vector<std::string>;
  static constexpr const char* kName = "groups";
  const char* known;
  const char* usual;  // the words that DEFAULT stands for
  bool Parse(std::string_view text, Value* value) const;
  std::string Format(const Value& value) const;
  std::string Accepted() const;
  std::string Noun() const { return "a list of known groups"; }
};

struct Ranks {
  using Value = RankSet;
  static constexpr const char* kName = "ranks";
  bool Parse(std::string_view text, RankSet* value) const { return ParseRanks(text, value); }
  std::string Format(const RankSet& value) const { return FormatRanks(value); }
  std::string Accepted() const { return "all, or ranks as in 0,8-15,every:100"; }
  std::string Noun() const { return "a list of ranks"; }
};

struct Trace {
  using Value = TraceSelection;
  static constexpr const char* kName = "trace";
  bool Parse(std::string_view text, TraceSelection* value) const { return ParseTrace(text, value); }
  std::string Format(const TraceSelection& value) const { return FormatTrace(value); }
  std::string Accepted() const {
    return "off, all, comm, slow:DURATION, msgs, visits:N, ranks:LIST, window:REGION:A-B, separated by commas";
  }
  std::string Noun() const { return "a trace selection"; }
};

struct Measure {
  using Value = MeasureSelection;
  static constexpr const char* kName = "windows";
  bool Parse(std::string_view text, MeasureSelection* value) const { return ParseMeasure(text, value); }
  std::string Format(const MeasureSelection& value) const { return FormatMeasure(value); }
  std::string Accepted() const { return "all, window:REGION:A-B, time:FROM-TO, separated by commas"; }
  std::string Noun() const { return "a list of windows"; }
};

struct Signals {
  using Value = std::vector<ControlSignal>;
  static constexpr const char* kName = "signals";
  bool Parse(std::string_view text, Value* value) const { return ParseSignals(text, value); }
  std::string Format(const Value& value) const { return FormatSignals(value); }
  std::string Accepted() const {
    return "off, or SIGNAL or SIGNAL:ACTION, separated by commas; ACTION is trace, flush or pause";
  }
  std::string Noun() const { return "a list of signals for control"; }
};

struct Tree {
  using Value = CollTree;
  static constexpr const char* kName = "tree";
  bool Parse(std::string_view text, CollTree* value) const { return ParseCollTree(text, value); }
  std::string Format(const CollTree& value) const { return FormatCollTree(value); }
  std::string Accepted() const { return "off, flat, kary:CHILDREN, binomial, host, file:PATH"; }
  std::string Noun() const { return "a spanning tree"; }
};

// One word of an enumeration; `WordsOf(E)` is generated from the CHOICE rows of settings.def.
template <class E>
struct Choice {
  using Value = E;
  static constexpr const char* kName = "enum";
  bool Parse(std::string_view text, E* value) const {
    const int position = FindWord(WordsOf(E{}), text);
    if (position >= 0) *value = static_cast<E>(position);
    return position >= 0;
  }
  std::string Format(E value) const { return WordAt(WordsOf(value), static_cast<int>(value)); }
  std::string Accepted() const { return JoinWords(WordsOf(E{}), ", "); }
  std::string Noun() const { return "one of the accepted words"; }
};

}  // namespace epik::config

#endif  // EPIK_CONFIG_TYPES_H_
