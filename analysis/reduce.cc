// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/reduce.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "config/words.h"

namespace epik::analysis {
namespace {

using config::FilterProblem;
using Is = ReduceCondition::Is;

constexpr std::pair<std::string_view, ReduceField> kFields[] = {
    {"numcalls", ReduceField::kCalls},      {"numsubrs", ReduceField::kSubroutine},
    {"usec", ReduceField::kExclusive},      {"excltime", ReduceField::kExclusive},
    {"exclusive", ReduceField::kExclusive}, {"cumusec", ReduceField::kInclusive},
    {"inclusive", ReduceField::kInclusive}, {"percent", ReduceField::kPercent},
    {"usecs/call", ReduceField::kPerCall},  {"usec/call", ReduceField::kPerCall},
    {"count", ReduceField::kCounter},       {"totalcount", ReduceField::kCounter},
    {"counts/call", ReduceField::kCounter},
};
constexpr std::pair<std::string_view, Is> kComparisons[] = {
    {"!=", Is::kNotEqual}, {"<=", Is::kAtMost}, {">=", Is::kAtLeast}, {"==", Is::kEqual},
    {"<", Is::kLess},      {">", Is::kMore},    {"=", Is::kEqual},
};
// The groups of TAU's instrumentor that contain all functions here.
constexpr std::pair<std::string_view, std::string_view> kGroups[] = {
    {"MPI", "MPI"}, {"TAU_MESSAGE", "MPI"}, {"OMP", "OMP"},   {"OpenMP", "OMP"},   {"COM", "COM"},
    {"USR", "USR"}, {"API", "API"},         {"TAU_USER", ""}, {"TAU_DEFAULT", ""},
};

class Parser {
 public:
  explicit Parser(std::vector<FilterProblem>* problems) : problems_(*problems) {}

  std::vector<ReduceRule> Parse(std::string_view text) {
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      whole_ = text.substr(at, end - at);
      ++number_;
      ReadLine(whole_.substr(0, whole_.find('#')));
      at = end + 1;
    }
    return std::move(rules_);
  }

 private:
  bool Tell(std::string_view at, std::string text) {
    problems_.push_back({number_, static_cast<int>(at.data() - whole_.data()) + 1, std::move(text)});
    return false;
  }

  // Calls each(piece) until one call returns false.
  template <class Each>
  bool Split(std::string_view text, char by, Each&& each) {
    while (true) {
      const size_t end = std::min(text.find(by), text.size());
      if (!each(config::Trim(text.substr(0, end)))) return false;
      if (end == text.size()) return true;
      text.remove_prefix(end + 1);
    }
  }

  void ReadLine(std::string_view line) {
    if (config::Trim(line).empty()) return;
    Split(line, '|', [this](std::string_view text) {
      ReduceRule rule;
      rule.line = number_;
      rule.text = text;
      if (Split(text, '&', [this, &rule](std::string_view condition) { return ReadCondition(condition, &rule); })) {
        rules_.push_back(std::move(rule));
      }
      return true;
    });
  }

  bool ReadCondition(std::string_view text, ReduceRule* rule) {
    if (text.empty()) return Tell(text, "a condition is missing");
    if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
      const std::string_view group = config::Trim(text.substr(0, colon));
      const auto* known = std::find_if(std::begin(kGroups), std::end(kGroups),
                                       [group](const auto& each) { return each.first == group; });
      if (known == std::end(kGroups)) return Tell(text, std::string(group) + " is no group: MPI, OMP, COM, USR or API");
      rule->group = known->second;
      text = config::Trim(text.substr(colon + 1));
    }
    const size_t name_end = std::min(text.find_first_of("<>=! \t"), text.size());
    const std::string_view name = text.substr(0, name_end);
    const auto* field =
        std::find_if(std::begin(kFields), std::end(kFields), [name](const auto& each) { return each.first == name; });
    if (field == std::end(kFields)) {
      return Tell(text, "'" + std::string(name) +
                            "' is none of numcalls, numsubrs, usecs/call, usec, excltime, cumusec, inclusive, percent");
    }
    if (field->second == ReduceField::kCounter) Tell(text, "profiles have no hardware counters yet: never true");
    const std::string_view rest = config::Trim(text.substr(name_end));
    for (const auto& [word, is] : kComparisons) {
      if (rest.substr(0, word.size()) != word) continue;
      const std::string_view figure = config::Trim(rest.substr(word.size()));
      double number = 0;
      const auto [end, error] = std::from_chars(figure.data(), figure.data() + figure.size(), number);
      if (error != std::errc() || end != figure.data() + figure.size()) {
        return Tell(figure, "'" + std::string(figure) + "' is not a number");
      }
      rule->conditions.push_back({field->second, is, number});
      return true;
    }
    return Tell(rest, "one of < > = != is missing");
  }

  std::vector<FilterProblem>& problems_;
  std::vector<ReduceRule> rules_;
  std::string_view whole_;
  int number_ = 0;
};

bool Compare(double value, Is is, double number) {
  switch (is) {
    case Is::kLess: return value < number;
    case Is::kMore: return value > number;
    case Is::kEqual: return value == number;
    case Is::kNotEqual: return value != number;
    case Is::kAtMost: return value <= number;
    case Is::kAtLeast: return value >= number;
  }
  return false;
}

bool Holds(const ReduceCondition& condition, const Cost& cost, double total) {
  constexpr double kMicro = 1e6;
  const auto calls = static_cast<double>(cost.visits);
  const auto is = [&condition](double value) { return Compare(value, condition.is, condition.number); };
  switch (condition.field) {
    case ReduceField::kCalls: return is(calls);
    case ReduceField::kSubroutine: return is(static_cast<double>(cost.calls));
    case ReduceField::kExclusive: return is(cost.own * kMicro);
    case ReduceField::kInclusive: return is(cost.inclusive * kMicro);
    case ReduceField::kPercent: return is(total > 0 ? 100 * cost.inclusive / total : 0);
    case ReduceField::kPerCall: return calls > 0 && is(cost.inclusive * kMicro / calls);
    case ReduceField::kCounter: return false;
  }
  return false;
}

bool IsMeant(const ReduceRule& rule, CostClass cost_class) {
  if (!rule.group.empty()) return rule.group == Word(cost_class);
  return cost_class == CostClass::kUsr || cost_class == CostClass::kCom;
}

}  // namespace

std::vector<ReduceRule> ParseRules(std::string_view text, std::vector<FilterProblem>* problems) {
  return Parser(problems).Parse(text);
}

std::vector<uint32_t> ApplyRules(const archive::Profile& profile, const std::vector<RegionCosts>& costs,
                                 const std::vector<ReduceRule>& rules) {
  std::vector<double> totals(std::max<size_t>(profile.locations.size(), 1));
  for (const RegionCosts& region : costs) {
    for (size_t l = 0; l < totals.size(); ++l) totals[l] += region.at[l].own;
  }
  std::vector<uint32_t> by(costs.size(), archive::kNone);
  for (uint32_t r = 0; r < costs.size(); ++r) {
    const uint32_t location = costs[r].Busiest();
    const Cost& cost = costs[r].at[location];
    if (cost.visits == 0 || costs[r].cost_class == CostClass::kOther) continue;
    for (uint32_t i = 0; i < rules.size() && by[r] == archive::kNone; ++i) {
      const bool all = IsMeant(rules[i], costs[r].cost_class) &&
                       std::all_of(rules[i].conditions.begin(), rules[i].conditions.end(),
                                   [&](const ReduceCondition& each) { return Holds(each, cost, totals[location]); });
      if (all) by[r] = i;
    }
  }
  return by;
}

}  // namespace epik::analysis
