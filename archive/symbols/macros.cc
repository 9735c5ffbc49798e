// SPDX-License-Identifier: BSD-3-Clause
#include "archive/symbols/macros.h"

#include <algorithm>

namespace epik::symbols {
namespace {

// Bounds against files that are no sources.
constexpr size_t kMostOpenMacros = 16;
constexpr size_t kMostSteps = 20'000;  // words of one line and of its replacements
constexpr size_t kMostMacros = 20'000;
constexpr size_t kMostFound = 100;         // directives from one line
constexpr size_t kLongestBody = 16 << 10;  // with its arguments

bool IsWord(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

size_t SkipBlanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(" \t\r", at), text.size());
}

std::string_view Word(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && IsWord(text[end])) ++end;
  return text.substr(at, end - at);
}

std::string_view Trimmed(std::string_view text) {
  const size_t begin = SkipBlanks(text, 0);
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// Reads the arguments in the parentheses that begin at `at`; `end` is behind them. Returns false when the parentheses
// do not end.
bool Arguments(std::string_view text, size_t at, std::vector<std::string>* arguments, size_t* end) {
  int depth = 0;
  bool in_string = false;
  size_t begin = at + 1;
  for (size_t i = at; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\') ++i;
    if (c == '"') in_string = !in_string;
    if (in_string) continue;
    if (c == '(') ++depth;
    const bool closes = c == ')' && --depth == 0;
    if (!closes && (c != ',' || depth != 1)) continue;
    arguments->emplace_back(Trimmed(text.substr(begin, i - begin)));
    begin = i + 1;
    if (!closes) continue;
    *end = begin;
    return true;
  }
  return false;
}

// The last parameter of a macro with any number of arguments takes all that are left.
void JoinRest(const std::vector<std::string>& parameters, std::vector<std::string>* arguments) {
  if (parameters.empty() || parameters.back() != "...") return;
  while (arguments->size() > parameters.size()) {
    std::string last = std::move(arguments->back());
    arguments->pop_back();
    arguments->back() += "," + last;
  }
}

// The text of `_Pragma("omp …")`; "" for other text.
std::string OfString(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '"' || argument.back() != '"') return "";
  const std::string_view text = Trimmed(argument.substr(1, argument.size() - 2));
  return text.starts_with("omp ") ? std::string(text.substr(4)) : "";
}

}  // namespace

struct Macros::Search {
  std::vector<std::string> found;
  std::vector<const Macro*> open;  // a macro is not replaced within itself
  size_t steps = 0;
};

bool Macros::Take(std::string_view line) {
  size_t at = SkipBlanks(line, 0);
  if (at == line.size() || line[at] != '#') return false;
  at = SkipBlanks(line, at + 1);
  const std::string_view what = Word(line, at);
  if (what != "define" && what != "undef") return false;
  at = SkipBlanks(line, at + what.size());
  const std::string name(Word(line, at));
  if (what == "undef" || macros_.size() >= kMostMacros) return macros_.erase(name), true;
  at += name.size();
  Macro macro;
  macro.has_parameters = at < line.size() && line[at] == '(';
  if (macro.has_parameters && !Arguments(line, at, &macro.parameters, &at)) return true;
  macro.body = Trimmed(line.substr(at));
  make_directives_ = make_directives_ || macro.body.find("_Pragma") != std::string::npos;
  if (macro.body.size() < kLongestBody) macros_.insert_or_assign(name, std::move(macro));
  return true;
}

std::string Macros::Expand(const Macro& macro, const std::vector<std::string>& arguments) {
  const auto value_of = [&](std::string_view word) -> const std::string* {
    for (size_t p = 0; p < macro.parameters.size(); ++p) {
      const bool rest = macro.parameters[p] == "..." && word == "__VA_ARGS__";
      if ((rest || macro.parameters[p] == word) && p < arguments.size()) return &arguments[p];
    }
    return nullptr;
  };
  std::string text;
  const std::string_view body = macro.body;
  for (size_t i = 0; i < body.size() && text.size() < kLongestBody;) {
    const bool is_sign = body[i] == '#';
    const size_t at = is_sign ? SkipBlanks(body, i + 1) : i;
    const std::string_view word = at < body.size() ? Word(body, at) : std::string_view();
    const std::string* value = word.empty() ? nullptr : value_of(word);
    if (value != nullptr) {
      text += is_sign ? "\"" + *value + "\"" : *value;
      i = at + word.size();
    } else if (!is_sign && !word.empty()) {
      text += word;
      i += word.size();
    } else {
      text += body[i++];
    }
  }
  return text;
}

// A macro may make the text of a `_Pragma`, too: `_Pragma(STRING(omp for))`.
std::string Macros::OfPragma(const std::string& argument) const {
  const auto macro = macros_.find(Word(argument, 0));
  size_t end = Word(argument, 0).size();
  std::vector<std::string> arguments;
  if (macro == macros_.end()) return OfString(argument);
  const size_t open = SkipBlanks(argument, end);
  if (open < argument.size() && argument[open] == '(') Arguments(argument, open, &arguments, &end);
  return OfString(Trimmed(Expand(macro->second, arguments)));
}

void Macros::Collect(std::string_view code, Search* search, size_t* end) const {
  for (size_t i = 0; i < code.size() && search->found.size() < kMostFound && ++search->steps < kMostSteps;) {
    if (code[i] == '"') {
      for (++i; i < code.size() && code[i] != '"'; ++i) i += code[i] == '\\';
      ++i;
      continue;
    }
    const std::string_view word = Word(code, i);
    if (word.empty()) {
      i = std::min(code.find_first_not_of(" \t", i + 1), code.size());
      continue;
    }
    i += word.size();
    const bool is_pragma = word == "_Pragma";
    const auto named = is_pragma ? macros_.end() : macros_.find(word);
    if (!is_pragma && named == macros_.end()) continue;
    const Macro* macro = is_pragma ? nullptr : &named->second;
    if (std::find(search->open.begin(), search->open.end(), macro) != search->open.end()) continue;
    std::vector<std::string> arguments;
    size_t behind = i;
    if (is_pragma || macro->has_parameters) {
      const size_t open = SkipBlanks(code, i);
      const bool called = open < code.size() && code[open] == '(';
      if (!called || !Arguments(code, open, &arguments, &behind)) continue;
    }
    const size_t before = search->found.size();
    if (is_pragma) {
      std::string said = arguments.empty() ? "" : OfPragma(arguments[0]);
      if (!said.empty()) search->found.push_back(std::move(said));
    } else if (search->open.size() < kMostOpenMacros) {
      JoinRest(macro->parameters, &arguments);
      size_t ignored = 0;
      search->open.push_back(macro);
      Collect(Expand(*macro, arguments), search, &ignored);
      search->open.pop_back();
    }
    if (search->found.size() != before) *end = behind;
    i = behind;
  }
}

bool Macros::MayGoOn(std::string_view code) const {
  if (!make_directives_ && code.find("_Pragma") == std::string_view::npos) return false;
  for (size_t i = 0; i < code.size();) {
    const std::string_view word = Word(code, i);
    if (word == "_Pragma") return true;
    const auto macro = word.empty() ? macros_.end() : macros_.find(word);
    if (macro != macros_.end() && macro->second.has_parameters) return true;
    i += std::max<size_t>(word.size(), 1);
  }
  return false;
}

std::vector<std::string> Macros::In(std::string_view code, size_t* end) const {
  Search search;
  *end = 0;
  if (!make_directives_ && code.find("_Pragma") == std::string_view::npos) return {};
  Collect(code, &search, end);
  return std::move(search.found);
}

}  // namespace epik::symbols
