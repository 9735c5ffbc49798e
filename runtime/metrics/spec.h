// SPDX-License-Identifier: BSD-3-Clause
// EPK_METRICS_SPEC, in the language of the original EPIK: names for counters, groups of counters, and computed
// counters.
//
//   measure NEW = NAME            another name; of several definitions, the first whose counter can be read counts
//   aggroup GROUP = NAME NAME …   counters to read together; the same for several definitions
//   compose WHOLE = PART + PART … the sum of its parts; if it is counted itself, their parent
//   compute NEW = FORMULA         + - * / ( ), evaluated by reports
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
  std::vector<std::string> words;  // for a computed counter: its formula, one word each
};

struct Spec {
  std::vector<Definition> definitions;

  bool Defines(const std::string& name, Definition::Kind kind) const;
};

// Invalid lines are left out, with a sentence for each that names `file` and line.
void ParseSpec(const std::string& text, const std::string& file, Spec* spec, std::vector<std::string>* problems);

// The built-in definitions.
extern const char kDefaultSpec[];

// A counter: the name in reports, and the name that its source knows.
struct Asked {
  std::string shown, name;

  bool operator==(const Asked&) const = default;
};

// The counters of EPK_METRICS, with groups and other names resolved. `can_be_had` decides if a name has several
// definitions.
std::vector<Asked> Expand(const Spec& spec, const std::vector<std::string>& names,
                          const std::function<bool(const std::string&)>& can_be_had);

// The computed counters whose names are all among `there`, or computed before them. Names of computed counters are
// replaced by their formulas, so each formula contains only counters.
std::vector<Definition> Computable(const Spec& spec, const std::vector<std::string>& there);

// The parent of a counter, or of a composed one, in the metric tree: a whole that was counted, or all of whose parts
// were. Empty: no parent.
std::string WholeOf(const Spec& spec, const std::string& part, const std::vector<std::string>& there);

}  // namespace epik::metrics

#endif  // EPIK_RUNTIME_METRICS_SPEC_H_
