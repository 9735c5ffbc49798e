// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/abi/group_functions.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/answers/each_function.h"
#include "archive/files/guarded.h"
#include "archive/symbols/construct_names.h"
#include "config/filter.h"
#include "config/groups.h"

namespace epik::archive {
namespace {

const void* Parse(const char* words, void (*say)(const char*)) {
  const config::Filter* group = nullptr;
  Quietly([&] {
    std::vector<config::FilterProblem> problems;
    auto parsed = std::make_unique<config::Filter>(
        config::Filter::Parse(config::FilterOfGroups(config::WordsOfLines(words)), &problems));
    for (const config::FilterProblem& problem : problems) say(problem.text.c_str());
    group = parsed.release();
  });
  return group;
}

bool IsOut(const void* group, const config::FilterSubject& subject) {
  return !static_cast<const config::Filter*>(group)->Measures(subject);
}

void ModuleOf(const void* group, const char* path, uint64_t bias, void (*found)(uint64_t)) {
  Quietly([&] {
    bool stripped;
    ForEachFunction(path, &stripped, [&](const symbols::Symbol& symbol, uint64_t start) {
      if (IsOut(group, {symbol.name, symbol.mangled, symbol.file, path, "compiler"})) found(bias + start);
    });
  });
}

int Region(const void* group, const char* name, const char* file, const char* paradigm) {
  bool out = false;
  Quietly([&] { out = IsOut(group, {name, "", file, "", paradigm}); });
  return out ? 1 : 0;
}

int Constructs(const void* group) {
  const bool all = IsOut(group, {"construct @", "", "", "", "openmp"});
  return all || static_cast<const config::Filter*>(group)->NamesConstructs() ? 1 : 0;
}

// A construct at a time is asked for, when it comes for the first time: modules stay open. As long as the process: no
// destructor may run while hooks still come.
symbols::Module* Opened(const std::string& path) {
  static auto* modules = new std::map<std::string, std::unique_ptr<symbols::Module>>;
  const auto [at, is_new] = modules->try_emplace(path);
  std::string error;
  if (is_new) at->second = symbols::Module::Open(path, "", &error);
  return at->second.get();
}

void Construct(uint8_t kind, const char* path, uint64_t bias, uint64_t address, char* name, uint64_t size) {
  name[0] = '\0';
  Quietly([&] {
    symbols::Module* module = Opened(path);
    if (module == nullptr) return;
    symbols::Symbol symbol = module->Resolve(address - bias);
    module->UseLineOfCode(address - bias, &symbol);
    epitome::Region region;
    NameConstruct(static_cast<event::Construct>(kind), PlaceName(symbol, address - bias), &region);
    std::snprintf(name, size, "%s", region.name.c_str());
  });
}

constexpr EpikGroups kGroups = {kEpikGroupsVersion, Parse, ModuleOf, Region, Constructs, Construct};

}  // namespace
}  // namespace epik::archive

const EpikGroups* epik_groups(uint32_t version) {
  return version == kEpikGroupsVersion ? &epik::archive::kGroups : nullptr;
}
