// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/program_name.h"

#include <algorithm>
#include <string_view>

namespace epik::archive {
namespace {

using Words = std::vector<std::string>;

// The meaning of the word after an option, or of the rest of the same word.
enum class Value { kNone, kAny, kJoined, kCode, kName };

// Letters and words of options, by what they take. `joined` values stand in the same word, or are left out.
struct Interpreter {
  std::string_view names;  // without versions
  std::string_view any, joined, code, name;
  std::string_view long_any, long_code, long_name;
};

constexpr Interpreter kInterpreters[] = {
    {" python pypy ", "WXQ", "", "c", "m", " check-hash-based-pycs jit ", " ", " "},
    {" perl ", "I", "CDFimMxV", "eE", "", " ", " ", " "},
    {" ruby ", "ICEr", "0FKTWix", "e", "", " encoding external-encoding internal-encoding ", " ", " "},
    {" lua luajit ", "elj", "O", "", "", " ", " ", " "},
    {" julia ", "CHJLpt", "Og", "eE", "", " cpu-target home sysimage load procs threads gcthreads machine-file ",
     " eval print ", " "},
    {" R ", "g", "", "e", "f", " gui encoding ", " args ", " file "},
    {" octave octave-cli octave-gui ", "p", "", "", "",
     " path built-in-docstrings-file exec-path image-path info-file ", " eval ", " "},
};

bool Lists(std::string_view list, std::string_view word) {
  return !word.empty() && list.find(" " + std::string(word) + " ") != std::string_view::npos;
}

std::string_view BaseName(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path.substr(path.rfind('/') + 1);
}

// python3.11 is a python, octave-cli-7.3.0 an octave-cli.
const Interpreter* Find(std::string_view file) {
  std::string_view name = file.substr(0, file.find_first_of("0123456789"));
  if (name.ends_with('-')) name.remove_suffix(1);
  const auto* found = std::find_if(std::begin(kInterpreters), std::end(kInterpreters),
                                   [name](const Interpreter& each) { return Lists(each.names, name); });
  return found == std::end(kInterpreters) ? nullptr : found;
}

struct Option {
  Value value = Value::kNone;
  std::string_view rest;  // of the same word
  bool has_rest = false;
};

// `-Wignore`, `-um`, `-I`
Option ReadShort(const Interpreter& language, std::string_view letters) {
  for (size_t i = 0; i < letters.size(); ++i) {
    const auto is_in = [&](std::string_view list) { return list.find(letters[i]) != std::string_view::npos; };
    const std::string_view rest = letters.substr(i + 1);
    if (is_in(language.joined)) return {Value::kJoined, rest, true};
    if (is_in(language.any)) return {Value::kAny, rest, !rest.empty()};
    if (is_in(language.code)) return {Value::kCode, rest, !rest.empty()};
    if (is_in(language.name)) return {Value::kName, rest, !rest.empty()};
  }
  return {};
}

// `--file=solver.R`, `--load start.jl`
Option ReadLong(const Interpreter& language, std::string_view word) {
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(0, equals);
  Option option;
  option.has_rest = equals < word.size();
  option.rest = word.substr(std::min(equals + 1, word.size()));
  if (Lists(language.long_any, name)) option.value = Value::kAny;
  if (Lists(language.long_code, name)) option.value = Value::kCode;
  if (Lists(language.long_name, name)) option.value = Value::kName;
  return option;
}

// The script or module; "": the arguments name none, or code.
std::string_view Script(const Interpreter& language, const Words& arguments) {
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    if (word == "--") return i + 1 < arguments.size() ? BaseName(arguments[i + 1]) : "";
    if (word.size() < 2 || word[0] != '-') return word == "-" ? "" : BaseName(word);
    const Option option = word[1] == '-' ? ReadLong(language, word.substr(2)) : ReadShort(language, word.substr(1));
    if (option.value == Value::kCode) return "";
    const bool takes_next = !option.has_rest && (option.value == Value::kAny || option.value == Value::kName);
    if (takes_next && ++i == arguments.size()) return "";
    // python -m mpi4py solver.py
    const std::string_view value = takes_next ? std::string_view(arguments[i]) : option.rest;
    if (option.value == Value::kName && !value.starts_with("mpi4py")) return BaseName(value);
  }
  return "";
}

}  // namespace

std::string ProgramName(const std::string& executable, const Words& arguments) {
  const std::string_view file = BaseName(executable);
  const Interpreter* language = Find(file);
  const std::string_view script = language == nullptr ? "" : Script(*language, arguments);
  const bool is_name = !script.empty() && script != "." && script != ".." && script != "/";
  return std::string(is_name ? script : file);
}

}  // namespace epik::archive
