// SPDX-License-Identifier: BSD-3-Clause
#include "archive/answers/selection.h"

#include "archive/files/byte_source.h"
#include "config/groups.h"

namespace epik::archive {
namespace {

constexpr size_t kMostNames = 8;  // in a sentence
constexpr uint64_t kLargestFilter = 16u << 20;
constexpr const char* kGroupsSetting = "EPK_GROUPS";

std::string RulesOfGroups(const char* words) { return config::FilterOfGroups(config::WordsOfLines(words)); }

}  // namespace

void Selection::Rules::Parse(const std::string& where, std::string_view text, Say say) {
  std::vector<config::FilterProblem> problems;
  filter = config::Filter::Parse(text, &problems);
  used.resize(filter.rules().size());
  if (where.empty()) {
    for (const config::FilterProblem& problem : problems) say(problem.text.c_str());
  } else {
    for (const std::string& line : config::RenderProblems(where, problems)) say(line.c_str());
  }
}

std::unique_ptr<Selection> Selection::OfFilter(const char* path, const char* groups, Say say, std::string* error) {
  std::string text;
  // A pipe or a device would keep the program waiting, or never end.
  if (path != nullptr && !ReadFile(path, kLargestFilter, &text, error)) return nullptr;
  auto selection = std::make_unique<Selection>();
  selection->named_ = path != nullptr ? path : kGroupsSetting;
  selection->file_.Parse(selection->named_, text, say);
  if (groups != nullptr) selection->groups_.Parse(kGroupsSetting, RulesOfGroups(groups), say);
  return selection;
}

std::unique_ptr<Selection> Selection::OfGroups(const char* words, Say say) {
  auto selection = std::make_unique<Selection>();
  selection->groups_.Parse("", RulesOfGroups(words), say);
  return selection;
}

std::unique_ptr<Selection> Selection::OfPattern(const char* glob) {
  auto selection = std::make_unique<Selection>();
  selection->glob_ = glob;
  return selection;
}

bool Selection::Selects(const config::FilterSubject& subject) {
  if (!glob_.empty()) return config::GlobMatchesName(glob_, subject.name);
  const bool by_file = file_.Measures(subject);  // both are asked: rules without a match are named at the end
  const bool measured = groups_.Measures(subject) && by_file;
  if (!measured && !named_.empty()) out_.emplace(subject.name);
  return !measured;
}

bool Selection::NamesConstructs() const { return file_.filter.NamesConstructs() || groups_.filter.NamesConstructs(); }

bool Selection::SelectsAllConstructs() {
  const config::FilterSubject any = {"construct @", "", "", "", "openmp"};  // at any place
  const bool by_file = file_.Measures(any);
  const bool measured = groups_.Measures(any) && by_file;
  if (!measured && !named_.empty()) out_.insert("OpenMP constructs");
  return glob_.empty() && !measured;
}

void Selection::SayStripped(const std::string& module, Say say) const {
  if (!named_.empty()) say((module + " is stripped: a filter knows only the functions that it exports").c_str());
}

void Selection::Summarize(Say say) const {
  std::string line = "filtered by " + named_ + ", their time is their callers': " + std::to_string(out_.size()) +
                     (out_.size() == 1 ? " region" : " regions");
  size_t named = 0;
  for (const std::string& name : out_) {
    if (named == kMostNames) break;
    line += (named++ == 0 ? ": " : ", ") + name;
  }
  if (out_.size() > named) line += " and " + std::to_string(out_.size() - named) + " more";
  say(line.c_str());
  for (const config::FilterRule* rule : file_.filter.Unused(file_.used)) {
    say((named_ + ":" + std::to_string(rule->line) + ": " + rule->Text() + " matched nothing").c_str());
  }
  for (const config::FilterRule* rule : groups_.filter.Unused(groups_.used)) {
    const bool is_main = rule->pattern == "main" || rule->pattern == "MAIN__";
    if (!is_main) say((std::string(kGroupsSetting) + ": " + rule->pattern + " is no group of this program").c_str());
  }
}

}  // namespace epik::archive
