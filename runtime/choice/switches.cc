// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/switches.h"

#include <algorithm>
#include <vector>

#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/choice/filter.h"
#include "runtime/choice/key_set.h"
#include "runtime/choice/selector.h"
#include "runtime/choice/ways_hot.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/each_node.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/seams_hot.h"

namespace epik::choice {

using event::Construct;
using event::Key;

namespace {

struct Group {
  std::string name;
  Selector* selector;
  bool on;
  uint64_t times_off;
  std::vector<Key> keys;
};

const KeyTable* asked_keys = &no_keys;

struct Switches {
  base::SpinLock lock;
  // In the order in which they were switched. Never destroyed: hooks come until the very end.
  std::vector<Group*>* groups = nullptr;
  KeySet off{&hooks.switched_off};
  KeySet asked{&asked_keys};  // constructs whose names were asked for
  bool asks_for_constructs = false;
};
constinit Switches all;

// REQUIRES: lock.
void Set(Key key, bool off) {
  if (!off) return all.off.Remove(key);
  all.off.Add(key);
  AddWay(kSwitchWay);
}

// REQUIRES: lock.
bool IsIn(const Group& group, const episode::DefinedRegion& region) {
  return Selector::IsNamed(region.role) && group.selector->Selects(region);
}

void FindFunctions(Group* group) {
  group->selector->LookAtNewModules([](Key key, void* keys) { static_cast<std::vector<Key>*>(keys)->push_back(key); },
                                    &group->keys);
}

// Constructs are no regions: only call paths name them.
void FindConstructs(Group* group) {
  if (group->selector->Constructs() == kEpikNoConstructs) return;
  std::vector<Key> found;
  episode::ForEachNode(0, [&found](uint32_t line) {
    const Key key = event::NodeAt(line)->key;
    if (!event::IsRegion(key) && CanBeOff(event::ConstructOf(key))) found.push_back(key);
  });
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  for (const Key key : found) {
    if (group->selector->SelectsConstruct(NameOfConstruct(key).c_str())) group->keys.push_back(key);
  }
}

// Adds the functions and regions that exist already.
void Fill(Group* group) {
  FindFunctions(group);
  episode::ForEachRegion(
      [](const episode::DefinedRegion& region, void* data) {
        auto* wanted = static_cast<Group*>(data);
        if (IsIn(*wanted, region)) wanted->keys.push_back(event::RegionKey(region.number));
      },
      group);
  FindConstructs(group);
}

void Apply(const Group& group) {
  for (const Key key : group.keys) Set(key, !group.on);
}

Group* NewGroup(const char* setting, const char* name, const std::string& words) {
  Selector* selector = Selector::OfGroups(setting, words);
  if (selector == nullptr) return nullptr;
  auto* group = new Group{name, selector, true, 0, {}};
  Fill(group);
  return group;
}

// The group goes to the end: it decides from now on.
void SwitchLast(Group* group, bool on) {
  if (all.groups == nullptr) __atomic_store_n(&all.groups, new std::vector<Group*>, __ATOMIC_RELEASE);
  episode::SeeEachEvent();
  std::erase(*all.groups, group);
  all.groups->push_back(group);
  group->on = on;
  group->times_off += !on;
  all.asks_for_constructs = all.asks_for_constructs || group->selector->Constructs() != kEpikNoConstructs;
  Apply(*group);
}

void LookAtNewModules() {
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
  const bool is_task = event::ConstructOf(key) == Construct::kTask;  // its creator asks, before the task exists
  if ((!is_task && !CanBeOff(event::ConstructOf(key))) || all.asked.Has(key)) return;
  all.asked.Add(key);
  const std::string name = NameOfConstruct(key);
  bool off = FilterHasOut(name.c_str());
  if (!off && !is_task && all.groups != nullptr) {
    for (Group* group : *all.groups) {
      if (!group->selector->SelectsConstruct(name.c_str())) continue;
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
  all.asks_for_constructs = true;
  episode::SeeEachEvent();
}

void SwitchGroup(const char* name, bool on) {
  constexpr char kSetting[] = "epik_group_disable";
  if (name == nullptr || name[0] == '\0' || !Selector::IsReady(kSetting)) return;
  const base::Locked lock(all.lock);
  Group* group = nullptr;
  if (all.groups != nullptr) {
    const auto known =
        std::find_if(all.groups->begin(), all.groups->end(), [name](const Group* g) { return g->name == name; });
    if (known != all.groups->end()) group = *known;
  }
  if (group == nullptr) group = NewGroup(kSetting, name, std::string("-") + name);
  if (group != nullptr) SwitchLast(group, on);
}

void SwitchGroupsOff(const std::string& words) {
  const base::Locked lock(all.lock);
  Group* group = NewGroup("EPK_GROUPS", "", words);
  if (group != nullptr) SwitchLast(group, false);
}

bool MaySwitchGroups() { return episode::IsMentionedByModules("epik_group_"); }

bool MaySwitchNew() { return __atomic_load_n(&all.groups, __ATOMIC_ACQUIRE) != nullptr || all.asks_for_constructs; }

bool IsTaskOut(Key key) {
  if (!MaySwitchNew()) return false;
  const base::SignalsBlocked blocked;  // a handler that jumped away now would take the lock with it
  SwitchNew(key);
  return all.off.Has(key);
}

void NoteSwitchRegion(const episode::DefinedRegion& region) {
  const base::Locked lock(all.lock);
  if (all.groups == nullptr) return;
  for (Group* group : *all.groups) {
    if (!IsIn(*group, region)) continue;
    group->keys.push_back(event::RegionKey(region.number));
    Set(group->keys.back(), !group->on);
  }
}

void SwitchNew(Key key) {
  if (event::IsRegion(key)) return;
  const base::Locked lock(all.lock);
  if (event::ConstructOf(key) != Construct::kNone) {
    if (all.asks_for_constructs) SwitchNewConstruct(key);
  } else if (all.groups != nullptr && all.groups->front()->selector->HasNewModules()) {
    LookAtNewModules();
  }
}

void ForgetSwitched(uint64_t begin, uint64_t end, uint64_t bias) {
  const base::Locked lock(all.lock);
  all.off.RemoveCode(begin, end);
  all.asked.RemoveCode(begin, end);
  if (all.groups == nullptr) return;
  for (Group* group : *all.groups) {
    group->selector->ForgetModule(bias);
    std::erase_if(group->keys, [begin, end](Key key) {
      return !event::IsRegion(key) && event::AddressOf(key) >= begin && event::AddressOf(key) < end;
    });
  }
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
    if (!note.empty()) episode::Note(note.c_str());
  }
}

void Forget() {
  all.lock.Reset();
  all.off.Forget();
  all.asked.Forget();
}

}  // namespace

const episode::Part switches_part = {.name = "switches", .finish = Finish, .forget = Forget};

}  // namespace epik::choice
