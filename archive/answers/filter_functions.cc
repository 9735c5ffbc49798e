// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/abi/filter_functions.h"

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/answers/each_function.h"
#include "archive/files/byte_source.h"
#include "archive/files/guarded.h"
#include "config/filter.h"
#include "config/groups.h"

namespace epik::archive {
namespace {

constexpr size_t kMostNames = 8;  // in a sentence
constexpr uint64_t kLargestFilter = 16u << 20;

struct Chosen {
  config::Filter filter;
  std::string path;
  std::vector<bool> used;
  config::Filter groups;
  bool by_groups = false;
  std::vector<bool> groups_used;
  std::set<std::string> out;  // names
};

Chosen* chosen = nullptr;  // as long as the process: no destructor may run while hooks still come

bool Measures(const config::FilterSubject& subject) {
  const bool by_file = chosen->filter.Measures(subject, &chosen->used);
  return (!chosen->by_groups || chosen->groups.Measures(subject, &chosen->groups_used)) && by_file;
}

void TakeGroups(std::string_view lines, Chosen* fresh, EpikSay say) {
  std::vector<config::FilterProblem> problems;
  fresh->groups = config::Filter::Parse(config::FilterOfGroups(config::WordsOfLines(lines)), &problems);
  fresh->groups_used.resize(fresh->groups.rules().size());
  fresh->by_groups = true;
  for (const std::string& line : config::RenderProblems("EPK_GROUPS", problems)) say(line.c_str());
}

int Open(const char* path, const char* groups, EpikSay say) {
  std::string error;
  const bool opened = Guarded(&error, [&] {
    std::string text;
    // A pipe or a device would keep the program waiting, or never end.
    if (path != nullptr && !ReadFile(path, kLargestFilter, &text, &error)) return false;
    auto* fresh = new Chosen;
    fresh->path = path != nullptr ? path : "EPK_GROUPS";
    std::vector<config::FilterProblem> problems;
    fresh->filter = config::Filter::Parse(text, &problems);
    fresh->used.resize(fresh->filter.rules().size());
    for (const std::string& line : config::RenderProblems(fresh->path, problems)) say(line.c_str());
    if (groups != nullptr) TakeGroups(groups, fresh, say);
    chosen = fresh;
    return true;
  });
  if (!opened) say(("EPK_FILTER is not used: " + error).c_str());
  return opened ? 1 : 0;
}

void SelectModule(const std::string& path, uint64_t bias, void (*exclude)(uint64_t), EpikSay say) {
  bool stripped;
  ForEachFunction(path, &stripped, [&](const symbols::Symbol& symbol, uint64_t start) {
    if (Measures({symbol.name, symbol.mangled, symbol.file, path, "compiler"})) return;
    chosen->out.insert(symbol.name);
    exclude(bias + start);
  });
  if (stripped) say((path + " is stripped: a filter knows only the functions that it exports").c_str());
}

void ModuleOf(const char* path, uint64_t bias, void (*exclude)(uint64_t), EpikSay say) {
  Quietly([&] { SelectModule(path, bias, exclude, say); });
}

int Region(const char* name, const char* file, const char* paradigm) {
  bool measured = true;
  Quietly([&] {
    measured = Measures({name, "", file, "", paradigm});
    const std::string_view called = name;
    const bool all = called.ends_with("@");  // any place
    if (!measured) chosen->out.insert(all ? "OpenMP constructs" : name);
  });
  return measured ? 1 : 0;
}

int NamesConstructs() { return chosen->filter.NamesConstructs() || chosen->groups.NamesConstructs() ? 1 : 0; }

void Summary(EpikSay say) {
  Quietly([&] {
    const auto& out = chosen->out;
    std::string line = "filtered by " + chosen->path + ", their time is their callers': " + std::to_string(out.size()) +
                       (out.size() == 1 ? " region" : " regions");
    size_t named = 0;
    for (const std::string& name : out) {
      if (named == kMostNames) break;
      line += (named++ == 0 ? ": " : ", ") + name;
    }
    if (out.size() > named) line += " and " + std::to_string(out.size() - named) + " more";
    say(line.c_str());
    for (const config::FilterRule* rule : chosen->filter.Unused(chosen->used)) {
      say((chosen->path + ":" + std::to_string(rule->line) + ": " + rule->Text() + " matched nothing").c_str());
    }
    for (const config::FilterRule* rule : chosen->groups.Unused(chosen->groups_used)) {
      const bool is_main = rule->pattern == "main" || rule->pattern == "MAIN__";
      if (!is_main) say(("EPK_GROUPS: " + rule->pattern + " is no group of this program").c_str());
    }
  });
}

constexpr EpikFilter kFilter = {kEpikFilterVersion, Open, ModuleOf, Region, NamesConstructs, Summary};

}  // namespace
}  // namespace epik::archive

const EpikFilter* epik_filter(uint32_t version) {
  return version == kEpikFilterVersion ? &epik::archive::kFilter : nullptr;
}
