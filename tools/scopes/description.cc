// SPDX-License-Identifier: BSD-3-Clause
#include "tools/scopes/description.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <utility>

#include "config/words.h"

namespace epik::scopes {

namespace {

// Spelling and meaning, in the order of the enumeration.
constexpr const char* kSources[] = {"calls", "links", "work", "visits"};
constexpr const char* kReduces[] = {"none", "last", "statistics", "sum"};
constexpr const char* kFields[] = {"callpath", "comm", "region", "rank", "thread", "sequence", "seconds"};
constexpr const char* kRelations[] = {"=", "!=", "~", "<", ">", "every"};
constexpr uint32_t kMostHelpers = 64, kMostFanOut = 1024;
constexpr size_t kMostConditions = 32, kMostName = 64;

template <size_t N>
int IndexOf(const char* const (&words)[N], std::string_view word) {
  const auto found = std::find(std::begin(words), std::end(words), word);
  return found == std::end(words) ? -1 : static_cast<int>(found - std::begin(words));
}

template <size_t N>
std::string ListOf(const char* const (&words)[N]) {
  std::string list;
  for (const char* word : words) list += (list.empty() ? "" : ", ") + std::string(word);
  return list;
}

bool IsOfNames(Field field) { return field <= Field::kRegion; }

bool Number(std::string_view text, double* value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *value, std::chars_format::fixed);
  return code == std::errc() && end == text.data() + text.size() && std::isfinite(*value) && *value >= 0 &&
         *value < 1e15;
}

// 250ms, 2s, 1m; without a unit: seconds.
bool Duration(std::string_view text, double* seconds) {
  double unit = 1;
  for (const auto& [name, of_name] : {std::pair<std::string_view, double>{"ms", 1e-3}, {"s", 1}, {"m", 60}}) {
    if (!text.ends_with(name)) continue;
    unit = of_name;
    text.remove_suffix(name.size());
    break;
  }
  if (!Number(text, seconds)) return false;
  *seconds *= unit;
  return *seconds <= 3600;
}

// The first mistake in the sets of characters of a pattern, which config::GlobMatches reads; empty: there is none.
std::string MistakeIn(std::string_view pattern) {
  for (size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] == '\\') {
      ++at;
      continue;
    }
    if (pattern[at] != '[') continue;
    const bool is_negated = at + 1 < pattern.size() && (pattern[at + 1] == '!' || pattern[at + 1] == '^');
    const size_t begin = at + (is_negated ? 2 : 1);
    const size_t end = pattern.find(']', begin);
    if (end == std::string_view::npos) return "a set of characters ends with ], as in [a-z]; \\[ stands for a [";
    for (size_t i = begin; i + 2 < end; ++i) {
      if (pattern[i + 1] != '-') continue;
      if (pattern[i] > pattern[i + 2])
        return "the set of characters " + std::string(pattern.substr(i, 3)) + " is empty";
      i += 2;
    }
    at = end;
  }
  return "";
}

std::string Shortest(double number) {
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::fixed).ptr;
  return {text, end};
}

class Parser {
 public:
  Parser(std::string file, Plan* plan, std::string* error) : file_(std::move(file)), plan_(plan), error_(error) {}

  bool Parse(std::string_view text) {
    if (text.size() > kMostDescriptionBytes) return Fail("", "a description has at most 32768 bytes");
    while (!text.empty()) {
      ++line_;
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      rest_ = line.substr(0, line.find('#'));
      if (rest_.find('\0') != std::string_view::npos) return Fail("", "this line has a byte that is zero");
      if (const std::string_view word = Word(); !word.empty() && (!Line(word) || !AtEnd())) return false;
    }
    if (plan_->scopes.empty()) return Fail("", "there is no scope; a scope begins with: scope NAME");
    return EndScope();
  }

 private:
  bool Fail(std::string_view word, const std::string& why) { return FailAt(line_, word, why); }
  bool FailAt(size_t line, std::string_view word, const std::string& why) {
    *error_ = file_ + ":" + std::to_string(line) + ": " + (word.empty() ? "" : "'" + std::string(word) + "': ") + why;
    return false;
  }

  std::string_view Word() {
    rest_ = config::Trim(rest_);
    size_t end = 0;
    while (end < rest_.size() && !config::IsBlank(rest_[end])) ++end;
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return word;
  }

  bool AtEnd() {
    const std::string_view word = Word();
    return word.empty() || Fail(word, "nothing may follow here");
  }

  bool Line(std::string_view word) {
    if (word == "scope") return BeginScope();
    if (word == "gather" || word == "helpers" || word == "priority") {
      if (!plan_->scopes.empty()) return Fail(word, "stands above the first scope: it holds for all of them");
      return word == "gather" ? Gather() : word == "helpers" ? Helpers() : Priority();
    }
    if (word != "from" && word != "where" && word != "reduce" && word != "rate") {
      return Fail(word, "lines begin with: scope, from, where, reduce, rate; gather, helpers, priority");
    }
    if (plan_->scopes.empty()) return Fail(word, "belongs to a scope; a scope begins with: scope NAME");
    Description& scope = plan_->scopes.back();
    if (word == "where") return Where(&scope);
    bool* had = word == "from" ? &has_source_ : word == "reduce" ? &has_reduce_ : &has_rate_;
    if (std::exchange(*had, true)) return Fail(word, "this scope has one already");
    if (word == "from") return Choose(kSources, &scope.source);
    if (word == "reduce") return Choose(kReduces, &scope.reduce);
    const std::string_view time = Word();
    return Duration(time, &scope.rate_s) || Fail(time, "is no time up to an hour, as in 500ms, 2s, 1m");
  }

  template <class Enum, size_t N>
  bool Choose(const char* const (&words)[N], Enum* value) {
    const std::string_view word = Word();
    const int index = IndexOf(words, word);
    if (index < 0) return Fail(word, "accepted here: " + ListOf(words));
    *value = static_cast<Enum>(index);
    return true;
  }

  bool Gather() {
    for (std::string_view word = Word(); !word.empty(); word = Word()) {
      if (word == "flat") {
        plan_->fan_out = 0;
      } else if (word == "sequential" || word == "parallel") {
        plan_->one_by_one = word == "sequential";
      } else if (word == "tree") {
        const std::string_view number = Word();
        if (!Count(number, 1, kMostFanOut, &plan_->fan_out)) return Fail(number, "a tree has a number from 1 to 1024");
      } else {
        return Fail(word, "accepted here: flat, tree N, sequential, parallel");
      }
    }
    return true;
  }

  static bool Count(std::string_view text, uint32_t least, uint32_t most, uint32_t* value) {
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), *value);
    return code == std::errc() && end == text.data() + text.size() && *value >= least && *value <= most;
  }

  bool Helpers() {
    const std::string_view word = Word();
    return Count(word, 0, kMostHelpers, &plan_->helpers) || Fail(word, "is no number from 0 to 64");
  }

  bool Priority() {
    const std::string_view word = Word();
    if (word != "low" && word != "normal") return Fail(word, "accepted here: low, normal");
    plan_->low_priority = word == "low";
    return true;
  }

  bool BeginScope() {
    if (!plan_->scopes.empty() && !EndScope()) return false;
    const std::string_view name = Word();
    if (name.empty() || name.size() > kMostName) return Fail(name, "a scope has a name of up to 64 characters");
    if (plan_->scopes.size() == kMostScopes) return Fail(name, "there are 32 scopes already");
    for (const Description& other : plan_->scopes) {
      if (other.name == name) return Fail(name, "there is a scope of that name already");
    }
    plan_->scopes.emplace_back().name = name;
    has_source_ = has_reduce_ = has_rate_ = false;
    where_lines_.clear();
    return true;
  }

  bool Where(Description* scope) {
    Condition condition;
    if (scope->where.size() == kMostConditions) return Fail("where", "this scope has 32 conditions already");
    if (!Choose(kFields, &condition.field) || !Choose(kRelations, &condition.relation)) return false;
    const bool of_names = IsOfNames(condition.field);
    const bool is_number = condition.relation >= Relation::kBelow;
    const std::string relation = kRelations[static_cast<int>(condition.relation)];
    if (of_names && is_number) return Fail(relation, "names have =, != and ~ only");
    if (!of_names && condition.relation == Relation::kLike) return Fail(relation, "figures have =, !=, <, > and every");
    if (of_names) {
      condition.text = config::Trim(rest_);  // names may have blanks
      rest_ = {};
      if (condition.text.empty()) return Fail("", "a name is missing behind " + relation);
      const std::string mistake = condition.relation == Relation::kLike ? MistakeIn(condition.text) : "";
      if (!mistake.empty()) return Fail(condition.text, mistake);
    } else {
      const std::string_view word = Word();
      if (!Number(word, &condition.number)) return Fail(word, "is no number");
      const bool good = condition.relation != Relation::kEvery || condition.number >= 1;
      if (!good) return Fail(word, "every has a number from 1 on");
    }
    scope->where.push_back(std::move(condition));
    where_lines_.push_back(line_);
    return true;
  }

  // Refuses parts that do not go together.
  bool EndScope() {
    const Description& scope = plan_->scopes.back();
    const auto fail = [&](const std::string& why) { return Fail(scope.name, why); };
    if (!has_source_) return fail("this scope has no source; accepted: from " + ListOf(kSources));
    const bool is_sum = scope.source == Source::kWork || scope.source == Source::kVisits;
    if (!has_reduce_) plan_->scopes.back().reduce = is_sum ? Reduce::kSum : Reduce::kStatistics;
    if (is_sum && scope.reduce != Reduce::kSum) return fail("work and visits have: reduce sum");
    if (!is_sum && scope.reduce == Reduce::kSum) return fail("calls and links have no sum");
    if (scope.source == Source::kLinks && scope.reduce != Reduce::kStatistics) {
      return fail("links have: reduce statistics");
    }
    for (size_t i = 0; i < scope.where.size(); ++i) {
      const Condition& condition = scope.where[i];
      const bool is_region = condition.field == Field::kRegion;
      const auto fail_here = [&](const std::string& why) {
        return FailAt(where_lines_[i], kFields[static_cast<int>(condition.field)], why);
      };
      if (scope.source == Source::kVisits && !is_region) return fail_here("visits have the field region only");
      if (scope.source == Source::kWork && condition.field != Field::kRank) {
        return fail_here("work has the field rank only");
      }
      const bool of_member =
          condition.field == Field::kRank || condition.field == Field::kThread || condition.field == Field::kSeconds;
      if (of_member && !is_sum && scope.reduce != Reduce::kNone) {
        return fail_here("goes with reduce none only, because a call without all of its ranks is never complete");
      }
    }
    return true;
  }

  std::string file_;
  Plan* plan_;
  std::string* error_;
  std::string_view rest_;
  size_t line_ = 0;
  std::vector<size_t> where_lines_;  // of the scope's conditions
  bool has_source_ = false, has_reduce_ = false, has_rate_ = false;
};

bool Holds(const Condition& condition, double value) {
  switch (condition.relation) {
    case Relation::kIs: return value == condition.number;
    case Relation::kIsNot: return value != condition.number;
    case Relation::kBelow: return value < condition.number;
    case Relation::kAbove: return value > condition.number;
    case Relation::kEvery: return std::fmod(value, condition.number) == 0;
    case Relation::kLike: break;
  }
  return false;
}

bool Holds(const Condition& condition, std::string_view name) {
  if (condition.relation == Relation::kLike) return config::GlobMatches(condition.text, name);
  return (name == condition.text) == (condition.relation == Relation::kIs);
}

}  // namespace

bool ParseDescription(std::string_view text, const std::string& file, Plan* plan, std::string* error) {
  *plan = {};
  return Parser(file, plan, error).Parse(text);
}

std::string WriteDescription(const Plan& plan) {
  std::string text = "gather " + (plan.fan_out == 0 ? "flat" : "tree " + std::to_string(plan.fan_out)) +
                     (plan.one_by_one ? " sequential" : " parallel") + "\nhelpers " + std::to_string(plan.helpers) +
                     "\npriority " + (plan.low_priority ? "low" : "normal") + "\n";
  for (const Description& scope : plan.scopes) {
    text += "scope " + scope.name + "\n  from " + kSources[static_cast<int>(scope.source)] + "\n  reduce " +
            kReduces[static_cast<int>(scope.reduce)] + "\n";
    if (scope.rate_s > 0) text += "  rate " + Shortest(scope.rate_s) + "s\n";
    for (const Condition& condition : scope.where) {
      text += std::string("  where ") + kFields[static_cast<int>(condition.field)] + " " +
              kRelations[static_cast<int>(condition.relation)] + " " +
              (IsOfNames(condition.field) ? condition.text : Shortest(condition.number)) + "\n";
    }
  }
  return text;
}

bool NamesMatch(const Description& scope, std::string_view path, std::string_view region,
                std::string_view communicator) {
  return std::all_of(scope.where.begin(), scope.where.end(), [&](const Condition& condition) {
    switch (condition.field) {
      case Field::kCallPath: return Holds(condition, path);
      case Field::kRegion: return Holds(condition, region);
      case Field::kCommunicator: return Holds(condition, communicator);
      default: return true;
    }
  });
}

bool FiguresMatch(const Description& scope, const Part& part) {
  return std::all_of(scope.where.begin(), scope.where.end(), [&](const Condition& condition) {
    switch (condition.field) {
      case Field::kRank: return Holds(condition, static_cast<double>(part.rank));
      case Field::kThread: return Holds(condition, static_cast<double>(part.thread));
      case Field::kSequence: return Holds(condition, static_cast<double>(part.sequence));
      case Field::kSeconds: return Holds(condition, part.left - part.entered);
      default: return true;
    }
  });
}

}  // namespace epik::scopes
