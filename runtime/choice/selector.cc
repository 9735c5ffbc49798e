// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/selector.h"

#include "config/paradigms.h"
#include "runtime/base/leak_check.h"
#include "runtime/base/log.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/modules.h"

namespace epik::choice {

using event::Key;
using event::Role;

namespace {

struct Library {
  const EpikNames* names = nullptr;
  base::SpinLock lock;  // its functions are called by one thread at a time
  std::vector<std::string>* lines = nullptr;
};
constinit Library library;

void SayLine(const char* line) { base::Say("%s", line); }

// The library has made the selection, and only we have a pointer to it.
const void* Kept(const void* selection) {
  if (selection != nullptr) base::IsHeldByOthers(selection);
  return selection;
}

const char* OrNull(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

}  // namespace

bool Selector::IsReady(const char* setting) {
  if (__atomic_load_n(&library.names, __ATOMIC_ACQUIRE) != nullptr) return true;
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikNamesFunction>(episode::FindInArchiveLibrary("epik_names", &error));
  const EpikNames* names = find == nullptr ? nullptr : find(kEpikNamesVersion);
  if (names != nullptr) {
    __atomic_store_n(&library.names, names, __ATOMIC_RELEASE);
    return true;
  }
  base::Say("%s is not used: %s", setting, error != nullptr ? error : "libepk_archive.so is of another version");
  return false;
}

Selector* Selector::OfFilter(const char* setting, const std::string& path, const std::string& words) {
  if (!IsReady(setting)) return nullptr;
  const base::Locked lock(library.lock);
  const void* selection = Kept(library.names->filter(OrNull(path), OrNull(words), SayLine));
  return selection == nullptr ? nullptr : new Selector(selection);
}

Selector* Selector::OfGroups(const char* setting, const std::string& words) {
  if (!IsReady(setting)) return nullptr;
  const base::Locked lock(library.lock);
  const void* selection = Kept(library.names->groups(words.c_str(), SayLine));
  return selection == nullptr ? nullptr : new Selector(selection);
}

Selector* Selector::OfPattern(const char* setting, const std::string& glob) {
  if (!IsReady(setting)) return nullptr;
  const base::Locked lock(library.lock);
  const void* selection = Kept(library.names->pattern(glob.c_str()));
  return selection == nullptr ? nullptr : new Selector(selection);
}

bool Selector::HasNewModules() const {
  return __atomic_load_n(&modules_seen_, __ATOMIC_RELAXED) != episode::ModuleCount();
}

void Selector::LookAtNewModules(Found found, void* context) {
  const base::Locked lock(library.lock);
  __atomic_store_n(&modules_seen_, episode::ModuleCount(), __ATOMIC_RELAXED);
  // Names are read after the walk, not in it: reading them may load libraries, and the walk holds the loader's lock.
  episode::ForEachMappedModule(
      [](const char* path, uint64_t bias, void* modules) {
        auto* all = static_cast<std::vector<Module>*>(modules);
        for (const Module& module : *all) {
          if (module.bias == bias && module.path == path) return;
        }
        all->push_back({bias, path, false});
      },
      &modules_);
  for (Module& module : modules_) {
    if (module.looked_at) continue;
    module.looked_at = true;
    library.names->module(selection_, module.path.c_str(), module.bias, found, context, SayLine);
  }
}

void Selector::ForgetModule(uint64_t bias) {
  const base::Locked lock(library.lock);
  std::erase_if(modules_, [bias](const Module& module) { return module.bias == bias; });
}

bool Selector::IsNamed(Role role) { return role == Role::kFunction || role == Role::kUser || role == Role::kPhase; }

bool Selector::Selects(const episode::DefinedRegion& region) const {
  const base::Locked lock(library.lock);
  const char* paradigm = config::ParadigmWord(static_cast<uint16_t>(region.paradigm));
  return library.names->region(selection_, region.name, region.file, paradigm) != 0;
}

bool Selector::SelectsConstruct(const char* name) const {
  const base::Locked lock(library.lock);
  return library.names->region(selection_, name, "", "openmp") != 0;
}

EpikConstructs Selector::Constructs() const {
  const base::Locked lock(library.lock);
  return static_cast<EpikConstructs>(library.names->constructs(selection_));
}

// Does not hold the lock while it speaks: a thread that defines a region takes the lock of the definitions first.
void Selector::Summarize(void (*say)(const char* line)) const {
  std::vector<std::string> lines;
  {
    const base::Locked lock(library.lock);
    library.lines = &lines;
    library.names->summary(selection_, [](const char* line) { library.lines->emplace_back(line); });
    library.lines = nullptr;
  }
  for (const std::string& line : lines) say(line.c_str());
}

std::string NameOfConstruct(Key key) {
  struct Found {
    std::string path;
    uint64_t bias = 0;
  } found;
  episode::FindMappedModule(
      event::AddressOf(key),
      [](const char* path, uint64_t bias, void* at) {
        *static_cast<Found*>(at) = {path, bias};
      },
      &found);
  char name[512] = "";
  if (found.path.empty()) return name;
  const base::Locked lock(library.lock);
  library.names->construct_name(static_cast<uint8_t>(event::ConstructOf(key)), found.path.c_str(), found.bias,
                                event::AddressOf(key), name, sizeof name);
  return name;
}

const episode::Part selector_part = {.name = "selector", .forget = [] { library.lock.Reset(); }};

}  // namespace epik::choice
