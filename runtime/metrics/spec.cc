// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/metrics/spec.h"

#include <algorithm>
#include <cstring>

namespace epik::metrics {
namespace {

using Kind = Definition::Kind;
using Words = std::vector<std::string>;

// Separated by blanks; parentheses are words of their own.
Words Split(const std::string& line) {
  Words words;
  std::string word;
  const auto end = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (const char c : line.substr(0, line.find('#'))) {
    if (std::strchr(" \t\r()", c) == nullptr) {
      word += c;
      continue;
    }
    end();
    if (c == '(' || c == ')') words.emplace_back(1, c);
  }
  end();
  return words;
}

bool IsOperator(const std::string& word) { return word.size() == 1 && std::strchr("+-*/()", word[0]) != nullptr; }
bool IsNumber(const std::string& word) { return std::strchr("0123456789.", word[0]) != nullptr; }

// Reads a definition. Returns null, or the error in the line.
const char* Read(const Words& words, Definition* definition) {
  if (words.size() < 4 || words[2] != "=") return "expected measure, aggroup, compose or compute NAME = …";
  definition->name = words[1];
  definition->words.assign(words.begin() + 3, words.end());
  const Words& right = definition->words;
  if (words[0] == "measure") {
    definition->kind = Kind::kMeasure;
    return right.size() == 1 ? nullptr : "measure has one counter";
  }
  if (words[0] == "aggroup") {
    definition->kind = Kind::kGroup;
    return nullptr;
  }
  definition->kind = words[0] == "compose" ? Kind::kCompose : Kind::kCompute;
  if (words[0] == "compose") {
    for (size_t i = 0; i < right.size(); ++i) {
      if ((right[i] == "+") != (i % 2 == 1)) return "compose adds up, with a + between two names";
    }
    return right.size() % 2 == 1 ? nullptr : "compose adds up, with a + between two names";
  }
  if (words[0] != "compute") return "expected measure, aggroup, compose or compute";
  bool wants_value = true;
  int depth = 0;
  for (const std::string& word : right) {
    const bool opens = word == "(", closes = word == ")";
    if (opens ? !wants_value : closes ? wants_value || --depth < 0 : IsOperator(word) == wants_value) {
      return "compute takes names and numbers with + - * / between them";
    }
    depth += opens ? 1 : 0;
    if (!opens && !closes) wants_value = IsOperator(word);
  }
  return wants_value || depth != 0 ? "compute takes names and numbers with + - * / between them" : nullptr;
}

class Expander {
 public:
  Expander(const Spec& spec, const std::function<bool(const std::string&)>& can_be_had)
      : spec_(spec), can_be_had_(can_be_had) {}

  std::vector<Asked> Of(const std::string& name, int depth = 0) const {
    const bool group = spec_.Defines(name, Kind::kGroup);
    if (depth == kDeepest || (!group && !spec_.Defines(name, Kind::kMeasure))) return {{name, name}};
    std::vector<Asked> first;
    for (const Definition& definition : spec_.definitions) {
      if (definition.name != name || (definition.kind != Kind::kMeasure && definition.kind != Kind::kGroup)) continue;
      std::vector<Asked> found;
      for (const std::string& word : definition.words) {
        // A group and a measure may be called like the counter they stand for.
        std::vector<Asked> part = word == name ? std::vector<Asked>{{name, name}} : Of(word, depth + 1);
        found.insert(found.end(), part.begin(), part.end());
      }
      if (!group) found.front().shown = name;
      if (std::all_of(found.begin(), found.end(), [&](const Asked& each) { return can_be_had_(each.name); }))
        return found;
      if (first.empty()) first = found;
    }
    return first;  // a message will say which of its counters cannot be read
  }

 private:
  static constexpr int kDeepest = 16;

  const Spec& spec_;
  const std::function<bool(const std::string&)>& can_be_had_;
};

}  // namespace

bool Spec::Defines(const std::string& name, Definition::Kind kind) const {
  return std::any_of(definitions.begin(), definitions.end(),
                     [&](const Definition& each) { return each.kind == kind && each.name == name; });
}

void ParseSpec(const std::string& text, const std::string& file, Spec* spec, std::vector<std::string>* problems) {
  size_t number = 0;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const Words words = Split(text.substr(at, end - at));
    at = end + 1;
    if (words.empty()) continue;
    Definition definition;
    const char* error = Read(words, &definition);
    if (error == nullptr) {
      spec->definitions.push_back(definition);
    } else {
      problems->push_back(file + ":" + std::to_string(number + 1) + ": " + error);
    }
  }
}

std::vector<Asked> Expand(const Spec& spec, const std::vector<std::string>& names,
                          const std::function<bool(const std::string&)>& can_be_had) {
  const Expander expander(spec, can_be_had);
  std::vector<Asked> all;
  for (const std::string& name : names) {
    for (const Asked& asked : expander.Of(name)) {
      if (std::find(all.begin(), all.end(), asked) == all.end()) all.push_back(asked);
    }
  }
  return all;
}

std::vector<Definition> Computable(const Spec& spec, const std::vector<std::string>& there) {
  constexpr size_t kMostWords = 200;
  std::vector<Definition> all;
  for (const Definition& definition : spec.definitions) {
    if (definition.kind != Kind::kCompose && definition.kind != Kind::kCompute) continue;
    Definition whole{definition.kind, definition.name, {}};
    bool known = std::none_of(all.begin(), all.end(), [&](const Definition& d) { return d.name == definition.name; });
    for (const std::string& word : definition.words) {
      const auto before = std::find_if(all.begin(), all.end(), [&](const Definition& d) { return d.name == word; });
      if (before != all.end()) {
        whole.words.push_back("(");
        whole.words.insert(whole.words.end(), before->words.begin(), before->words.end());
        whole.words.push_back(")");
        continue;
      }
      const bool counted = std::find(there.begin(), there.end(), word) != there.end();
      known = known && (counted || IsOperator(word) || IsNumber(word) || word == "time" || word == "visits");
      whole.words.push_back(word);
    }
    const bool new_name = std::find(there.begin(), there.end(), definition.name) == there.end();
    if (known && new_name && whole.words.size() <= kMostWords) all.push_back(whole);
  }
  return all;
}

namespace {

bool Contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Whether the counter is counted, or composed of counters that are.
bool IsThere(const Spec& spec, const std::string& name, const std::vector<std::string>& there, int depth = 0) {
  constexpr int kDeepest = 16;
  if (Contains(there, name)) return true;
  return depth < kDeepest &&
         std::any_of(spec.definitions.begin(), spec.definitions.end(), [&](const Definition& definition) {
           return definition.kind == Kind::kCompose && definition.name == name &&
                  std::all_of(definition.words.begin(), definition.words.end(), [&](const std::string& word) {
                    return word == "+" || IsThere(spec, word, there, depth + 1);
                  });
         });
}

}  // namespace

std::string WholeOf(const Spec& spec, const std::string& part, const std::vector<std::string>& there) {
  for (const Definition& definition : spec.definitions) {
    if (definition.kind != Kind::kCompose || definition.name == part || !Contains(definition.words, part)) continue;
    std::vector<std::string> parts = definition.words;
    std::sort(parts.begin(), parts.end());
    const auto again = std::adjacent_find(
        parts.begin(), parts.end(), [](const std::string& a, const std::string& b) { return a == b && a != "+"; });
    if (again == parts.end() && IsThere(spec, definition.name, there)) return definition.name;
  }
  return "";
}

// The tree of the original's METRICS.SPEC, with today's PAPI presets and the kernel's own names. If a part is not
// counted (…_MISC) or is computed, the whole is not the sum of the other parts.
const char kDefaultSpec[] = R"(
measure CYCLES = PAPI_TOT_CYC
measure CYCLES = perf::CYCLES
measure BUSY_REF = PAPI_REF_CYC
measure BUSY_REF = perf::REF-CYCLES
measure STALL = PAPI_RES_STL
measure STALL = perf::STALLED-CYCLES-BACKEND
measure STALL_DISPATCH = perf::STALLED-CYCLES-FRONTEND
measure INSTRUCTION = PAPI_TOT_INS
measure INSTRUCTION = perf::INSTRUCTIONS
measure BRANCH = PAPI_BR_INS
measure BRANCH = perf::BRANCHES
measure BRANCH_MISP = PAPI_BR_MSP
measure BRANCH_MISP = perf::BRANCH-MISSES
measure INTEGER = PAPI_INT_INS
measure FLOATING_POINT = PAPI_FP_OPS
measure FLOATING_POINT = PAPI_FP_INS
measure FP_ADD = PAPI_FAD_INS
measure FP_MUL = PAPI_FML_INS
measure FP_FMA = PAPI_FMA_INS
measure FP_DIV = PAPI_FDV_INS
measure LOAD = PAPI_LD_INS
measure LOAD = perf::L1-DCACHE-LOADS
measure STORE = PAPI_SR_INS
measure SYNCH = PAPI_SYC_INS
measure MISS_L1$ = PAPI_L1_DCM
measure MISS_L1$ = perf::L1-DCACHE-LOAD-MISSES
measure MISS_L2$ = PAPI_L2_DCM
measure MISS_L3$ = PAPI_L3_TCM
measure MISS_L3$ = perf::LLC-LOAD-MISSES
measure TLB_DATA = PAPI_TLB_DM
measure TLB_DATA = perf::DTLB-LOAD-MISSES
measure TLB_INST = PAPI_TLB_IM
measure TLB_INST = perf::ITLB-LOAD-MISSES

aggroup BASIC = CYCLES INSTRUCTION
aggroup BRANCHES = BRANCH BRANCH_MISP INSTRUCTION
aggroup CACHE = LOAD STORE MISS_L1$ MISS_L2$
aggroup CACHE = LOAD MISS_L1$ MISS_L3$
aggroup TLB = TLB_DATA TLB_INST
aggroup SYSTEM = rusage::ru_minflt rusage::ru_majflt rusage::ru_nvcsw rusage::ru_nivcsw
aggroup HEAP = heap::allocations heap::bytes_allocated heap::bytes_freed heap::peak heap::bytes_leaked
aggroup FILES = io::reads io::writes io::bytes_read io::bytes_written io::read_time io::write_time

compose CYCLES = BUSY + STALL
compose INSTRUCTION = BRANCH + INTEGER + MEMORY + INSTRUCTION_MISC
compose BRANCH = BRANCH_PRED + BRANCH_MISP
compose FLOATING_POINT = FP_ADD + FP_MUL + FP_FMA + FP_DIV + FP_MISC
compose MEMORY = LOAD + STORE
compose MISS_L1$ = HIT_L2$ + MISS_L2$
compose TLB_ACCESS = TLB_DATA + TLB_INST
compute BUSY = CYCLES - STALL
compute BRANCH_PRED = BRANCH - BRANCH_MISP
compute HIT_L1$ = MEMORY - MISS_L1$
compute HIT_L2$ = MISS_L1$ - MISS_L2$
compute HIT_L3$ = MISS_L2$ - MISS_L3$
compute IPC = INSTRUCTION / CYCLES
compute BRANCH_MISS_RATE = BRANCH_MISP / BRANCH
compute L1_MISS_RATE = MISS_L1$ / MEMORY
compute PAGE_FAULTS = rusage::ru_minflt + rusage::ru_majflt
)";

}  // namespace epik::metrics
