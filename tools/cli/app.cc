// SPDX-License-Identifier: BSD-3-Clause
#include "tools/cli/app.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <utility>

namespace epik::cli {
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

// `epk report "$UNSET"` is a mistake, and does not ask for the newest archive.
bool IsEmptyArchive(const CLI::Option& option) {
  const bool is_positional = option.get_snames().empty() && option.get_lnames().empty();
  return is_positional && option.get_name(true).starts_with("archive") && option.count() > 0 &&
         option.results().front().empty();
}

// CLI11 says "--format: At Most 1 required but received 2" and "--trace: 1 required SEL missing".
std::string InOurWords(const std::string& what) {
  constexpr std::string_view kMany = ": At Most 1 required but received ", kNone = ": 1 required ";
  if (const size_t at = what.find(kMany); at != what.npos) {
    const std::string times = what.substr(at + kMany.size());
    return what.substr(0, at) + " is given " + (times == "2" ? "twice" : times + " times");
  }
  if (const size_t at = what.find(kNone); at != what.npos && what.ends_with(" missing")) {
    return what.substr(0, at) + " needs a value";
  }
  return what;
}

}  // namespace

Option Option::TypeName(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::Required() const { return Option(option_->required()); }
Option Option::Hidden() const { return Option(option_->group("")); }
Option Option::OneValueEach() const { return Option(option_->allow_extra_args(false)); }
Option Option::SplitAt(char c) const { return Option(option_->delimiter(c)); }
Option Option::Needs(Option other) const { return Option(option_->needs(other.option_)); }
Option Option::Excludes(Option other) const { return Option(option_->excludes(other.option_)); }
Option Option::Check(const WhyNot& why_not) const { return Option(option_->check(why_not)); }
Option Option::OneOf(const std::vector<std::string>& words) const {
  return Option(option_->check(CLI::IsMember(words)));
}
Option Option::OneOfAnyCase(const std::vector<std::string>& words, const std::string& shown) const {
  return Option(option_->transform(CLI::IsMember(words, CLI::ignore_case).description(shown)));
}
Option Option::Positive() const { return Option(option_->check(CLI::PositiveNumber)); }

std::string OptionInfo::Term() const {
  if (positional) return value;
  std::string term;
  for (const std::string& name : names) term += (term.empty() ? "" : ", ") + name;
  if (names[0].starts_with("--")) term = "    " + term;
  return value.empty() ? term : term + " " + value;
}

App::App(const std::string& description, const std::string& name) : app_(new CLI::App(description, name)) {
  app_->set_help_flag("-h,--help", "show this manual");
}
App::~App() { delete app_; }

Option App::AddOption(const std::string& names, std::string& value, const std::string& text) {
  return Option(app_->add_option(names, value, text));
}
Option App::AddOption(const std::string& names, std::vector<std::string>& values, const std::string& text) {
  return Option(app_->add_option(names, values, text));
}
Option App::AddOption(const std::string& names, int& value, const std::string& text) {
  return Option(app_->add_option(names, value, text));
}
Option App::AddOption(const std::string& names, unsigned& value, const std::string& text) {
  return Option(app_->add_option(names, value, text));
}
Option App::AddOption(const std::string& names, uint64_t& value, const std::string& text) {
  return Option(app_->add_option(names, value, text));
}
Option App::AddOption(const std::string& names, double& value, const std::string& text) {
  return Option(app_->add_option(names, value, text));
}
Option App::AddOption(const std::string& names, const std::function<void(const std::string&)>& take,
                      const std::string& text) {
  return Option(app_->add_option_function<std::string>(names, take, text));
}
Option App::AddFlag(const std::string& names, bool& value, const std::string& text) {
  return Option(app_->add_flag(names, value, text));
}
Option App::AddFlag(const std::string& names, const std::function<void()>& take, const std::string& text) {
  return Option(app_->add_flag_callback(names, take, text));
}

void App::TakeProgram() {
  app_->prefix_command();
  takes_program_ = true;
}
void App::CheckInOrder() { app_->validate_positionals(); }
void App::WhenParsed(const std::function<void()>& callback) { app_->callback(callback); }
void App::Footer(const std::string& text) { app_->footer(text); }

Parsed App::Parse(std::vector<std::string> words) {
  if (takes_program_) {
    for (CLI::Option* option : app_->get_options()) option->allow_extra_args(false);
  }
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    app_->parse(std::move(words));
  } catch (const CLI::ExtrasError& error) {
    return {Parsed::kUnknown, error.what()};
  } catch (const CLI::CallForHelp& error) {
    return {Parsed::kHelp, error.what()};
  } catch (const CLI::RequiredError& error) {
    return {Parsed::kMissing, error.what()};
  } catch (const CLI::ParseError& error) {
    return {Parsed::kWrong, InOurWords(error.what())};
  }
  for (const CLI::Option* option : app_->get_options()) {
    if (IsEmptyArchive(*option)) return {Parsed::kWrong, "the name of an archive is empty"};
  }
  return {Parsed::kGood, ""};
}

std::string App::name() const { return app_->get_name(); }
std::string App::footer() const { return app_->get_footer(); }
std::vector<std::string> App::rest() const { return app_->remaining(); }

std::vector<OptionInfo> App::Options() const {
  const CLI::App& app = *app_;
  std::vector<OptionInfo> options;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_group().empty() && option != app.get_help_ptr()) options.push_back(Describe(*option));
  }
  std::stable_partition(options.begin(), options.end(), [](const OptionInfo& each) { return each.positional; });
  options.push_back(Describe(*app.get_help_ptr()));
  return options;
}

}  // namespace epik::cli
