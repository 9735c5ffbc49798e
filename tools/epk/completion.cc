// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/completion.h"

#include <algorithm>
#include <utility>

#include "tools/epk/options.h"

namespace epik::epk {
namespace {

// @VERBS@, @OPTIONS@ and @CHOICES@ are filled in. If a reply stays empty, bash completes file names itself, and quotes
// them better than a script could.
constexpr char kScript[] = R"bash(# bash completion for epk; made by: epk internal completion bash

_epk() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} verb=${COMP_WORDS[1]}
  local options='' valued=' ' starts='' choices='' verbs='@VERBS@' i before word
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W "$verbs help version --help --version" -- "$cur")
    return
  fi
  # --format=json arrives as three words.
  if [[ $cur == = ]]; then
    cur=''
  elif [[ $prev == = ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case $verb in
    help) choices=$verbs ;;
@OPTIONS@    *) return ;;
  esac
  if [[ -n $starts ]]; then
    # From the program on, words are the program's.
    before=''
    for ((i = 2; i < COMP_CWORD; ++i)); do
      word=${COMP_WORDS[i]}
      if [[ $word != -* && $word != = && $before != = && $valued != *" $before "* ]]; then return; fi
      before=$word
    done
  fi
  # Behind -e, NAME=VALUE; the value arrives behind a word of its own.
  if [[ $prev == E[PSL][KDG]_* && $cur != -* ]]; then
    choices=$(epk config --values "$prev" 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
    return
  fi
  case "$verb $prev" in
@CHOICES@    *) [[ $valued == *" $prev "* ]] && return ;;
  esac
  if [[ -n $choices ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
    # The user types the value right behind it.
    if [[ ${COMPREPLY[0]-} == *[=:] ]]; then compopt -o nospace 2>/dev/null; fi
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -n $starts && $cur != */* ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "$cur")
  fi
}

complete -o bashdefault -o default -F _epk epk
)bash";

std::string Join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

void Replace(std::string* text, const std::string& mark, const std::string& with) {
  text->replace(text->find(mark), mark.size(), with);
}

// The kind of an option's words, if only this machine and these archives tell them (values.h).
std::string KindOfValues(const cli::OptionInfo& option) {
  constexpr std::pair<const char*, const char*> kKinds[] = {
      {"--trace", "trace"}, {"--metrics", "counters"}, {"--metric", "metrics"}, {"--env", "variables"}};
  for (const auto& [name, kind] : kKinds) {
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return kind;
  }
  return "";
}

}  // namespace

std::string BashCompletion(std::span<const Command> commands) {
  std::vector<std::string> verbs;
  std::string options, choices;
  for (const Command& command : commands) {
    const Verb verb(command);
    const std::string name = command.name;
    verbs.push_back(name);
    std::vector<std::string> valued;
    for (const cli::OptionInfo& option : verb.app.Options()) {
      if (option.positional || option.value.empty()) continue;
      valued.insert(valued.end(), option.names.begin(), option.names.end());
      const std::string kind = KindOfValues(option);
      if (option.choices.empty() && kind.empty()) continue;
      std::vector<std::string> cases;
      for (const std::string& each : option.names) cases.push_back("'" + name + " " + each + "'");
      const std::string words = option.choices.empty() ? "$(epk config --values " + kind + " 2>/dev/null)"
                                                       : "'" + Join(option.choices, " ") + "'";
      choices += "    " + Join(cases, " | ") + ") choices=" + words + " ;;\n";
    }
    options += "    " + name + ") options='" + Join(OptionNames(verb.app), " ") + "'";
    if (!valued.empty()) options += " valued=' " + Join(valued, " ") + " '";
    options += verb.app.takes_program() ? " starts=yes ;;\n" : " ;;\n";
  }
  std::string script = kScript;
  Replace(&script, "@VERBS@", Join(verbs, " "));
  Replace(&script, "@OPTIONS@", options);
  Replace(&script, "@CHOICES@", choices);
  return script;
}

}  // namespace epik::epk
