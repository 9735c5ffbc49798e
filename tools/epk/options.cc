// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/options.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <sstream>
#include <utility>

namespace epik::epk {
namespace {

// CLI11 describes a value as "TEXT:{a,b}", "INT:POSITIVE", "TEXT:FILE"; people want a|b, N, FILE.
std::string ValueName(const std::string& type, std::vector<std::string>* choices) {
  const size_t open = type.find('{'), close = type.find('}');
  if (open != std::string::npos && close != std::string::npos && open < close) {
    std::stringstream list(type.substr(open + 1, close - open - 1));
    std::string value;
    for (std::string choice; std::getline(list, choice, ',');) {
      choice = choice.substr(0, choice.find("->"));  // a mapping shows the word that users type, not its value
      choices->push_back(choice);
      value += (value.empty() ? "" : "|") + choice;
    }
    return value;
  }
  if (type.find("[:") != std::string::npos) return type;  // "HOST[:PORT]"
  // "KEY:excl|incl": words that stand for something else.
  const size_t bar = type.find('|'), first = type.find(':');
  if (bar != std::string::npos && first != std::string::npos && first < bar) {
    std::stringstream list(type.substr(first + 1));
    for (std::string choice; std::getline(list, choice, '|');) choices->push_back(choice);
    return type.substr(0, first);
  }
  const std::string base = type.substr(0, type.find(':'));
  if (base == "INT" || base == "UINT" || base == "FLOAT") return "N";
  const size_t colon = type.find(':');
  if (base == "TEXT" && colon != std::string::npos)
    return type.substr(colon + 1, type.find_first_of(" (", colon) - colon - 1);
  return base;
}

OptionInfo Describe(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  info.text = option.get_description();
  if (!option.get_default_str().empty()) info.text += " (default: " + option.get_default_str() + ")";
  info.positional = info.names.empty();
  info.required = option.get_required();
  info.many = option.get_items_expected_max() > 1;
  if (option.get_items_expected_max() > 0) info.value = ValueName(option.get_type_name(), &info.choices);
  if (!option.get_option_text().empty()) info.value = option.get_option_text();
  if (info.positional) {
    info.value = option.get_name(true);
    std::transform(info.value.begin(), info.value.end(), info.value.begin(),
                   [](unsigned char c) { return std::toupper(c); });
  }
  return info;
}

}  // namespace

Verb::Verb(const Command& command_in)
    : command(command_in), app(command_in.summary, std::string("epk ") + command_in.name) {
  app.set_help_flag("-h,--help", "show this manual");
  command.add(app, run);
  if (!app.get_prefix_command()) return;
  // An option that takes a list would swallow the program and its arguments: one value each time it is given.
  for (CLI::Option* option : app.get_options()) option->allow_extra_args(false);
}

std::string OptionInfo::Term() const {
  if (positional) return value;
  std::string term;
  for (const std::string& name : names) term += (term.empty() ? "" : ", ") + name;
  if (names[0].starts_with("--")) term = "    " + term;
  return value.empty() ? term : term + " " + value;
}

std::vector<OptionInfo> Options(const CLI::App& app) {
  std::vector<OptionInfo> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && option != app.get_help_ptr()) options.push_back(Describe(*option));
  }
  std::stable_partition(options.begin(), options.end(), [](const OptionInfo& each) { return each.positional; });
  if (app.get_help_ptr() != nullptr) options.push_back(Describe(*app.get_help_ptr()));
  return options;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const OptionInfo& option : Options(app)) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

namespace {

bool IsCount(const std::string& value) {
  return !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
}

}  // namespace

std::string WhyNoCount(const std::string& value) {
  constexpr size_t kMostDigits = 18;
  if (!IsCount(value)) return "'" + value + "' is not a whole number from 0 on";
  return value.size() <= kMostDigits ? "" : "'" + value + "' is too large";
}

std::function<std::string(const std::string&)> NumberFrom(double least, double most) {
  return [least, most](const std::string& value) -> std::string {
    double number = 0;
    const char* end = value.data() + value.size();
    const auto [read, problem] = std::from_chars(value.data(), end, number);
    if (problem == std::errc() && read == end && number >= least && number <= most) return "";
    char text[64];
    std::snprintf(text, sizeof text, "' is not a number from %g to %g", least, most);
    return "'" + value + text;
  };
}

std::function<std::string(const std::string&)> WholeNumberFrom(uint64_t least, uint64_t most) {
  return [least, most](const std::string& value) -> std::string {
    uint64_t number = 0;
    const auto [read, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem == std::errc() && IsCount(value) && number >= least && number <= most) return "";
    return "'" + value + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  };
}

void TakeProgram(CLI::App& app, std::vector<std::string>* words, const char* what) {
  app.prefix_command();
  app.callback([&app, words, what] {
    *words = app.remaining();
    if (!words->empty() && words->front() == "--") words->erase(words->begin());
    if (words->empty()) throw UsageError(std::string("name the ") + what + " to start");
  });
}

}  // namespace epik::epk
