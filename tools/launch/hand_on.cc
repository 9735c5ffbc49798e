// SPDX-License-Identifier: BSD-3-Clause
#include "tools/launch/hand_on.h"

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <string_view>

#include "tools/instrument/words.h"

namespace epik::launch {
namespace {

using instrument::StartsWith;

bool IsForLoader(const std::string& name) { return StartsWith(name, "LD_"); }

const std::string* Find(const Variables& variables, std::string_view wanted) {
  const auto found =
      std::find_if(variables.begin(), variables.end(), [=](const auto& variable) { return variable.first == wanted; });
  return found == variables.end() ? nullptr : &found->second;
}

// A launcher of MPI that is told by options what to pass on is no program of MPI itself.
bool IsBeforeLauncher(const EnvWords& env, const Launched& launched) {
  return launched.passing != Passing::kInherit && !launched.contexts.empty() &&
         env.assignments < launched.contexts.front();
}

Words Assignments(const EnvWords& env, const Variables& needed, const Variables& own, bool for_launcher) {
  Words words;
  for (const auto& [name, value] : needed) {
    // A user who takes EPK_TRACE away wants no trace. Without the libraries, EPIK is not there at all.
    const bool taken = IsForLoader(name) && std::find(env.unset.begin(), env.unset.end(), name) != env.unset.end();
    if ((!env.clears && !taken) || (for_launcher && IsForLoader(name))) continue;
    const std::string* part = Find(own, name);
    words.push_back(name + "=" + (part == nullptr ? value : *part));
  }
  return words;
}

Words Split(const std::string& list) {
  Words words;
  for (const auto word : std::views::split(list, ',')) words.emplace_back(word.begin(), word.end());
  return words;
}

}  // namespace

std::string ExportedWith(const std::string& list, const Variables& needed, const Variables& own) {
  Words words = Split(list);
  const auto lists = [&](const std::string& wanted) {
    return std::find(words.begin(), words.end(), wanted) != words.end();
  };
  if (lists("NONE") || lists("NIL")) return "";
  const bool exports_all = lists("ALL");
  for (const auto& [name, value] : needed) {
    const auto given =
        std::find_if(words.begin(), words.end(), [&](const std::string& word) { return StartsWith(word, name + "="); });
    const std::string* part = Find(own, name);
    if (given == words.end()) {
      // With the value that srun itself has.
      if (!exports_all && !lists(name)) words.push_back(name);
    } else if (part != nullptr && !StartsWith(*given, name + "=" + *part)) {
      *given = name + "=" + *part + ":" + given->substr(name.size() + 1);
    }
  }
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  return text;
}

void HandOn(const Variables& needed, const Variables& own, const Launched& launched, Words& command) {
  for (const ValuePlace& place : launched.exports) {
    if (place.word >= command.size()) continue;
    std::string& word = command[place.word];
    const std::string list = ExportedWith(word.substr(place.begin), needed, own);
    if (!list.empty()) word.replace(place.begin, std::string::npos, list);
  }
  // From behind, so that the places in front stay what they are.
  for (const EnvWords& env : launched.envs | std::views::reverse) {
    const Words added = Assignments(env, needed, own, IsBeforeLauncher(env, launched));
    command.insert(command.begin() + static_cast<std::ptrdiff_t>(env.assignments), added.begin(), added.end());
  }
}

}  // namespace epik::launch
