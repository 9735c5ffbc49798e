// SPDX-License-Identifier: BSD-3-Clause
// EPK_METRICS_SPEC, in the language of the original: names for counters, groups of them, and what is computed from
// them.
//
//   measure NEW = NAME            another name; of several definitions the first holds whose counter can be had
//   aggroup GROUP = NAME NAME …   counters to ask for at once; the same
//   compose WHOLE = PART + PART … the sum of its parts, or if it is counted itself, what holds them
//   compute NEW = FORMULA         + - * / ( ), evaluated where it is looked at
//
// # begins a comment. Names are those of EPK_METRICS or of the file.
#ifndef EPIK_RUNTIME_METRICS_SPEC_H_
#define EPIK_RUNTIME_METRICS_SPEC_H_

#include <functional>
#include <string>
#include <vector>

namespace epik::metrics {

struct Definition {
  enum class Kind { kMeasure, kGroup, kCompose, kCompute };
  Kind kind;
  std::string name;
  std::vector<std::string> words;  // of a computed one: its formula, a word each
};

struct Spec {
  std::vector<Definition> definitions;

  bool Defines(const std::string& name, Definition::Kind kind) const;
};

// Lines that make no sense are left out, with a sentence for each that names them by `file`.
void ParseSpec(const std::string& text, const std::string& file, Spec* spec, std::vector<std::string>* problems);

// What is installed.
extern const char kDefaultSpec[];

// A counter by the name it is shown by, and by the one its source knows.
struct Asked {
  std::string shown, name;

  bool operator==(const Asked&) const = default;
};

// What EPK_METRICS asks for, without groups and other names. `can_be_had` is asked where there is a choice.
std::vector<Asked> Expand(const Spec& spec, const std::vector<std::string>& names,
                          const std::function<bool(const std::string&)>& can_be_had);

// Those of the computed ones whose names are all among `there`, or computed before them. A name stands for its formula,
// so that each has counters alone in it.
std::vector<Definition> Computable(const Spec& spec, const std::vector<std::string>& there);

// What a counter, or one composed of counters, is a part of in the metric tree: a whole that is there, or all of whose
// parts are. Empty: nothing.
std::string WholeOf(const Spec& spec, const std::string& part, const std::vector<std::string>& there);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_SPEC_H_
