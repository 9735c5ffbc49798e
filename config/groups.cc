// SPDX-License-Identifier: BSD-3-Clause
#include "config/groups.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "config/paradigms.h"

namespace epik::config {
namespace {

constexpr std::pair<std::string_view, std::string_view> kWords[] = {
    {"file=", "FILE "}, {"dir=", "FILE "}, {"object=", "OBJECT "}, {"region=", "REGION "}};

std::string RuleOf(std::string_view group) {
  const Paradigm* paradigm = FindParadigm(group);
  if (paradigm != nullptr && CanBeFiltered(*paradigm)) return "GROUP " + std::string(group);
  for (const auto& [word, field] : kWords) {
    if (group.substr(0, word.size()) != word) continue;
    group.remove_prefix(word.size());
    const bool is_folder = word == "dir=" && !group.empty() && group.back() != '/';
    return std::string(field) + std::string(group) + (is_folder ? "/" : "");
  }
  return (group.find('/') != std::string_view::npos ? "FILE " : "REGION ") + std::string(group);
}

}  // namespace

std::string FilterOfGroups(const std::vector<std::string>& groups) {
  const auto is_out = [](const std::string& group) { return !group.empty() && group[0] == '-'; };
  std::string text;
  if (!std::all_of(groups.begin(), groups.end(), is_out)) text = "EXCLUDE REGION *\n";
  for (const std::string& group : groups) {
    const std::string_view name = std::string_view(group).substr(is_out(group) ? 1 : 0);
    if (!name.empty()) text += (is_out(group) ? "EXCLUDE " : "INCLUDE ") + RuleOf(name) + "\n";
  }
  return text + "INCLUDE REGION main\nINCLUDE REGION MAIN__\n";
}

std::vector<std::string> WordsOfLines(std::string_view lines) {
  std::vector<std::string> words;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    words.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return words;
}

}  // namespace epik::config
