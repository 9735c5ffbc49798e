// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/abi/name_functions.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "archive/answers/each_function.h"
#include "archive/answers/selection.h"
#include "archive/files/guarded.h"
#include "archive/symbols/construct_names.h"

namespace epik::archive {
namespace {

// The runtime does not know this type and does not change the object: it only hands it back.
Selection* From(const void* selection) { return static_cast<Selection*>(const_cast<void*>(selection)); }

const void* Filter(const char* path, const char* groups, EpikSay say) {
  std::string error;
  std::unique_ptr<Selection> selection;
  const bool opened = Guarded(&error, [&] {
    selection = Selection::OfFilter(path, groups, say, &error);
    return selection != nullptr;
  });
  if (!opened) say(("EPK_FILTER is not used: " + error).c_str());
  return selection.release();
}

const void* Groups(const char* words, EpikSay say) {
  std::unique_ptr<Selection> selection;
  Quietly([&] { selection = Selection::OfGroups(words, say); });
  return selection.release();
}

const void* Pattern(const char* glob) {
  std::unique_ptr<Selection> selection;
  Quietly([&] { selection = Selection::OfPattern(glob); });
  return selection.release();
}

void ModuleOf(const void* selection, const char* path, uint64_t bias, void (*found)(uint64_t, void*), void* context,
              EpikSay say) {
  Quietly([&] {
    bool stripped;
    ForEachFunction(path, &stripped, [&](const symbols::Symbol& symbol, uint64_t start) {
      const bool selected = From(selection)->Selects({symbol.name, symbol.mangled, symbol.file, path, "compiler"});
      if (selected) found(bias + start, context);
    });
    if (stripped) From(selection)->SayStripped(path, say);
  });
}

int Region(const void* selection, const char* name, const char* file, const char* paradigm) {
  bool selected = false;
  Quietly([&] { selected = From(selection)->Selects({name, "", file, "", paradigm}); });
  return selected ? 1 : 0;
}

int Constructs(const void* selection) {
  int found = kEpikNoConstructs;
  Quietly([&] {
    if (From(selection)->NamesConstructs())
      found = kEpikSomeConstructs;
    else if (From(selection)->SelectsAllConstructs())
      found = kEpikAllConstructs;
  });
  return found;
}

void Summary(const void* selection, EpikSay say) {
  Quietly([&] { From(selection)->Summarize(say); });
}

// The runtime asks for a construct when it comes for the first time, so modules stay open. They stay open as long as
// the process lives, because no destructor may run while hooks still come.
symbols::Module* Opened(const std::string& path) {
  static auto* modules = new std::map<std::string, std::unique_ptr<symbols::Module>>;
  const auto [at, is_new] = modules->try_emplace(path);
  std::string error;
  if (is_new) at->second = symbols::Module::Open(path, "", &error);
  return at->second.get();
}

void ConstructName(uint8_t kind, const char* path, uint64_t bias, uint64_t address, char* name, uint64_t size) {
  name[0] = '\0';
  Quietly([&] {
    symbols::Module* module = Opened(path);
    if (module == nullptr) return;
    symbols::Symbol symbol = module->Resolve(address - bias);
    module->UseLineOfCode(address - bias, &symbol);
    static auto* places = new ConstructPlaces;
    ConstructPlace place = places->Find(static_cast<event::Construct>(kind), symbol, address - bias, path);
    place.column = 0;
    archive::Region region;
    NameConstruct(place.construct, place.name, PlaceName(place, symbol, address - bias), &region);
    std::snprintf(name, size, "%s", region.name.c_str());
  });
}

constexpr EpikNames kNames = {kEpikNamesVersion, Filter,  Groups,       Pattern, ModuleOf, Region,
                              Constructs,        Summary, ConstructName};

}  // namespace
}  // namespace epik::archive

const EpikNames* epik_names(uint32_t version) {
  return version == kEpikNamesVersion ? &epik::archive::kNames : nullptr;
}
