// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/switches.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <vector>

#include "config/paradigms.h"
#include "runtime/abi/group_functions.h"
#include "runtime/base/log.h"
#include "runtime/base/spinlock.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/switches_hot.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/each_node.h"
#include "runtime/episode/modules.h"

namespace epik::episode {

using event::Construct;
using event::Key;

const SwitchTable* switch_table = nullptr;

namespace {

constexpr unsigned kFirstBits = 10;
constexpr Key kGone = ~Key{0};  // no event has this key, and it ends no search

struct Group {
  std::string name;
  const void* parsed;
  bool on;
  uint64_t times_off;
  std::vector<Key> keys;
};

struct Switches {
  base::SpinLock lock;
  const EpikGroups* library = nullptr;
  // In the order in which they were switched. Never destroyed: hooks come until the very end.
  std::vector<Group*>* groups = nullptr;
  uint64_t in_table = 0;
  uint32_t modules_seen = 0;  // ModuleCount() at the last look
  bool asks_for_constructs = false;
  Group* looking = nullptr;
};
constinit Switches all;

SwitchTable* NewTable(unsigned bits) {
  const size_t bytes = sizeof(SwitchTable) + (sizeof(Switch) << bits);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* table = static_cast<SwitchTable*>(memory);
  table->mask = (uint64_t{1} << bits) - 1;
  return table;
}

void Insert(SwitchTable* table, Key key, uint64_t off) {
  uint64_t i = FilterSlot(key, table->mask);
  while (table->slots[i].key != 0 && table->slots[i].key != key) i = (i + 1) & table->mask;
  __atomic_store_n(&table->slots[i].off, off, __ATOMIC_RELAXED);
  __atomic_store_n(&table->slots[i].key, key, __ATOMIC_RELEASE);
}

// Twice as large. Readers of the old one see what was switched until now: they will look at the new one the next time.
SwitchTable* Grow(const SwitchTable* table) {
  const unsigned bits = static_cast<unsigned>(__builtin_popcountll(table->mask)) + 1;
  SwitchTable* larger = bits > kMostFilterBits ? nullptr : NewTable(bits);
  if (larger == nullptr) return nullptr;
  for (uint64_t i = 0; i <= table->mask; ++i) {
    const Switch& one = table->slots[i];
    if (one.key != 0 && one.key != kGone) Insert(larger, one.key, one.off);
  }
  __atomic_store_n(&switch_table, larger, __ATOMIC_RELEASE);
  return larger;
}

bool HaveTables() {
  if (switch_table == nullptr) {
    const SwitchTable* table = NewTable(kFirstBits);
    if (table == nullptr) return false;
    SeeEachEvent();
    __atomic_store_n(&switch_table, table, __ATOMIC_RELEASE);
  }
  return true;
}

// REQUIRES: lock, tables.
void Set(Key key, bool off) {
  auto* table = const_cast<SwitchTable*>(switch_table);
  if (FindSwitch(key) == nullptr) {
    if (4 * (all.in_table + 1) > table->mask) {
      SwitchTable* larger = Grow(table);
      if (larger != nullptr) table = larger;
      if (all.in_table + 1 >= table->mask) return;  // no memory: it stays on
    }
    ++all.in_table;
  }
  Insert(table, key, off ? 1 : 0);
  if (off) AddWay(kSwitchWay);
}

void SayLine(const char* line) { base::Say("%s", line); }

bool LoadLibrary() {
  if (all.library != nullptr) return true;
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikGroupsFunction>(FindInArchiveLibrary("epik_groups", &error));
  all.library = find == nullptr ? nullptr : find(kEpikGroupsVersion);
  if (all.library != nullptr) return true;
  base::Say("groups cannot be switched: %s", error != nullptr ? error : "libepk_archive.so is of another version");
  return false;
}

bool MayBeSwitched(event::Role role) {
  return role == event::Role::kFunction || role == event::Role::kUser || role == event::Role::kPhase;
}

void FoundFunction(uint64_t address) { all.looking->keys.push_back(address); }

void FindFunctions(Group* group) {
  std::erase_if(group->keys, event::IsFunction);
  all.looking = group;
  ForEachMappedModule([](const char* path, uint64_t bias,
                         void*) { all.library->module(all.looking->parsed, path, bias, FoundFunction); },
                      nullptr);
}

std::string NameOf(Key key) {
  char name[512] = "";
  struct Asked {
    Key key;
    char* name;
  } asked{key, name};
  FindMappedModule(
      event::AddressOf(key),
      [](const char* path, uint64_t bias, void* data) {
        const auto* of = static_cast<const Asked*>(data);
        all.library->construct(static_cast<uint8_t>(event::ConstructOf(of->key)), path, bias, event::AddressOf(of->key),
                               of->name, sizeof name);
      },
      &asked);
  return name;
}

// Constructs have call paths alone.
void FindConstructs(Group* group) {
  if (all.library->constructs(group->parsed) == 0) return;
  std::vector<Key> found;
  ForEachNode(0, [&found](uint32_t line) {
    const Key key = event::NodeAt(line)->key;
    if (!event::IsRegion(key) && CanBeOff(event::ConstructOf(key))) found.push_back(key);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const Key key : found) {
    if (all.library->region(group->parsed, NameOf(key).c_str(), "", "openmp") != 0) group->keys.push_back(key);
  }
}

// What is there already.
void Fill(Group* group) {
  FindFunctions(group);
  ForEachRegion(
      [](const DefinedRegion& region, void* data) {
        auto* wanted = static_cast<Group*>(data);
        const bool is_in = MayBeSwitched(region.role) &&
                           all.library->region(wanted->parsed, region.name, region.file,
                                               config::ParadigmWord(static_cast<uint16_t>(region.paradigm))) != 0;
        if (is_in) wanted->keys.push_back(event::RegionKey(region.number));
      },
      group);
  FindConstructs(group);
}

void Apply(const Group& group) {
  for (const Key key : group.keys) Set(key, !group.on);
}

Group* NewGroup(const char* name, const std::string& words) {
  const void* parsed = all.library->parse(words.c_str(), SayLine);
  if (parsed == nullptr) return nullptr;
  auto* group = new Group{name, parsed, true, 0, {}};
  Fill(group);
  return group;
}

// The group goes to the end: it decides from now on.
void SwitchLast(Group* group, bool on) {
  if (all.groups == nullptr) all.groups = new std::vector<Group*>;
  std::erase(*all.groups, group);
  all.groups->push_back(group);
  group->on = on;
  group->times_off += !on;
  all.asks_for_constructs = all.asks_for_constructs || all.library->constructs(group->parsed) != 0;
  Apply(*group);
}

void LookAtNewModules() {
  all.modules_seen = ModuleCount();
  for (Group* group : *all.groups) FindFunctions(group);
  for (const Group* group : *all.groups) Apply(*group);
}

std::string Sentence(const Group& group) {
  const std::string regions = std::to_string(group.keys.size()) + (group.keys.size() == 1 ? " region" : " regions");
  if (group.name.empty()) return "EPK_GROUPS takes out " + regions + " that the program may switch on";
  if (group.keys.empty()) return "epik_group_disable: " + group.name + " is no group of this program";
  if (group.times_off == 0) return "";
  return "the program switched " + group.name + " off " + std::to_string(group.times_off) +
         (group.times_off == 1 ? " time (" : " times (") + regions + "): the time of these calls is their callers'";
}

// REQUIRES: lock.
void SwitchNewConstruct(Key key) {
  if (!CanBeOff(event::ConstructOf(key)) || FindSwitch(key) != nullptr) return;
  const std::string name = NameOf(key);
  bool off = FilterHasOut(name.c_str());
  if (!off && all.groups != nullptr) {
    for (Group* group : *all.groups) {
      if (all.library->region(group->parsed, name.c_str(), "", "openmp") == 0) continue;
      group->keys.push_back(key);
      off = !group->on;
    }
  }
  Set(key, off);
}

}  // namespace

bool CanBeOff(Construct construct) {
  switch (construct) {
    case Construct::kNone:
    case Construct::kParallel:
    case Construct::kTeams:
    case Construct::kTask: return false;
    default: return true;
  }
}

void AskForConstructs() {
  const base::Locked lock(all.lock);
  all.asks_for_constructs = LoadLibrary() && HaveTables();
}

void SwitchGroup(const char* name, bool on) {
  if (name == nullptr || name[0] == '\0') return;
  const base::Locked lock(all.lock);
  if (!LoadLibrary() || !HaveTables()) return;
  Group* group = nullptr;
  if (all.groups != nullptr) {
    const auto known =
        std::find_if(all.groups->begin(), all.groups->end(), [name](const Group* g) { return g->name == name; });
    if (known != all.groups->end()) group = *known;
  }
  if (group == nullptr) group = NewGroup(name, std::string("-") + name);
  if (group != nullptr) SwitchLast(group, on);
}

void SwitchGroupsOff(const std::string& words) {
  const base::Locked lock(all.lock);
  if (!LoadLibrary() || !HaveTables()) return;
  Group* group = NewGroup("", words);
  if (group != nullptr) SwitchLast(group, false);
}

bool MaySwitchGroups() { return IsMentionedByModules("epik_group_"); }

void NoteSwitchRegion(const DefinedRegion& region) {
  if (!MayBeSwitched(region.role)) return;
  const base::Locked lock(all.lock);
  if (all.groups == nullptr) return;
  for (Group* group : *all.groups) {
    if (all.library->region(group->parsed, region.name, region.file,
                            config::ParadigmWord(static_cast<uint16_t>(region.paradigm))) == 0)
      continue;
    group->keys.push_back(event::RegionKey(region.number));
    Set(group->keys.back(), !group->on);
  }
}

void SwitchNew(Key key) {
  if (event::IsRegion(key)) return;
  const base::Locked lock(all.lock);
  if (event::ConstructOf(key) != Construct::kNone) {
    if (all.asks_for_constructs) SwitchNewConstruct(key);
  } else if (all.groups != nullptr && all.modules_seen != ModuleCount()) {
    LookAtNewModules();
  }
}

void ForgetSwitched(uint64_t begin, uint64_t end) {
  const base::Locked lock(all.lock);
  if (switch_table == nullptr) return;
  const auto is_gone = [begin, end](Key key) {
    return !event::IsRegion(key) && event::AddressOf(key) >= begin && event::AddressOf(key) < end;
  };
  auto* table = const_cast<SwitchTable*>(switch_table);
  for (uint64_t i = 0; i <= table->mask; ++i) {
    const Key key = table->slots[i].key;
    if (key != 0 && is_gone(key)) __atomic_store_n(&table->slots[i].key, kGone, __ATOMIC_RELAXED);
  }
  if (all.groups == nullptr) return;
  for (Group* group : *all.groups) std::erase_if(group->keys, is_gone);
}

namespace {

void Finish() {
  std::vector<std::string> notes;
  {
    const base::Locked lock(all.lock);
    if (all.groups == nullptr) return;
    for (const Group* group : *all.groups) notes.push_back(Sentence(*group));
  }
  for (const std::string& note : notes) {
    if (!note.empty()) Note(note.c_str());
  }
}

void Forget() { all.lock.Reset(); }

}  // namespace

const Part switches_part = {.name = "switches", .finish = Finish, .forget = Forget};

}  // namespace epik::episode
