// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/options.h"

#include <charconv>
#include <cstdio>

namespace epik::epk {

Verb::Verb(const Command& command_in)
    : command(command_in), app(command_in.summary, std::string("epk ") + command_in.name) {
  command.add(app, run);
}

std::vector<std::string> OptionNames(const cli::App& app) {
  std::vector<std::string> names;
  for (const cli::OptionInfo& option : app.Options()) {
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
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

cli::WhyNot NumberFrom(double least, double most) {
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

cli::WhyNot WholeNumberFrom(uint64_t least, uint64_t most) {
  return [least, most](const std::string& value) -> std::string {
    uint64_t number = 0;
    const auto [read, problem] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (problem == std::errc() && IsCount(value) && number >= least && number <= most) return "";
    return "'" + value + "' is not a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  };
}

void TakeProgram(cli::App& app, std::vector<std::string>* words, const char* what) {
  app.TakeProgram();
  app.WhenParsed([&app, words, what] {
    *words = app.rest();
    if (!words->empty() && words->front() == "--") words->erase(words->begin());
    if (words->empty()) throw UsageError(std::string("name the ") + what + " to start");
  });
}

}  // namespace epik::epk
