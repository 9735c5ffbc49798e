// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/filter.h"

#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "config/paradigms.h"
#include "runtime/abi/filter_functions.h"
#include "runtime/base/log.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/base/spinlock.h"
#include "runtime/choice/filter_hot.h"
#include "runtime/choice/patch.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/options.h"
#include "runtime/episode/seams_hot.h"

namespace epik::episode {

using event::Key;

namespace {

FilterTable no_filter = {0, 0, {0}};

}  // namespace

const FilterTable* filter_table = &no_filter;

namespace {

constexpr unsigned kFirstBits = 12;
constexpr Key kGone = ~Key{0};  // no event has this key, and it ends no search

struct Seen {
  uint64_t bias;
  std::string path;
  bool is_there;
};

// The filter itself, and what it has seen.
struct Resolved {
  const EpikFilter* filter = nullptr;
  base::SpinLock filter_lock;  // of the filter itself, and of what modules it has seen
  base::SpinLock table_lock;
  uint64_t keys_in_table = 0;
  uint32_t modules_seen = 0;          // ModuleCount() at the last look
  std::vector<Seen>* seen = nullptr;  // never destroyed: hooks come until the very end
};
constinit Resolved names;

FilterTable* NewTable(unsigned bits) {
  const size_t bytes = sizeof(FilterTable) + (sizeof(Key) << bits);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* table = static_cast<FilterTable*>(memory);
  table->mask = (uint64_t{1} << bits) - 1;
  return table;
}

void Insert(FilterTable* table, Key key) {
  uint64_t i = FilterSlot(key, table->mask);
  while (table->slots[i] != 0 && table->slots[i] != key) i = (i + 1) & table->mask;
  __atomic_store_n(&table->slots[i], key, __ATOMIC_RELAXED);
}

// Twice as large; readers of the old one find there what they found before, so it stays.
FilterTable* Grow(const FilterTable* table) {
  const unsigned bits = std::max(static_cast<unsigned>(__builtin_popcountll(table->mask)) + 1, kFirstBits);
  FilterTable* larger = bits > kMostFilterBits ? nullptr : NewTable(bits);
  if (larger == nullptr) return nullptr;
  larger->patch = table->patch;
  for (uint64_t i = 0; i <= table->mask; ++i) {
    if (table->slots[i] != 0 && table->slots[i] != kGone) Insert(larger, table->slots[i]);
  }
  __atomic_store_n(&filter_table, larger, __ATOMIC_RELEASE);
  return larger;
}

void SayLine(const char* line) { base::Say("%s", line); }
void NoteLine(const char* line) { Note(line); }

void SeeModule(const char* path, uint64_t bias, void*) {
  for (const Seen& module : *names.seen) {
    if (module.bias == bias && module.path == path) return;
  }
  names.seen->push_back({bias, path, false});
}

// REQUIRES: filter_lock.
void LookAtNewModules() {
  names.modules_seen = ModuleCount();
  ForEachMappedModule(SeeModule, nullptr);
  for (Seen& module : *names.seen) {
    if (module.is_there) continue;
    module.is_there = true;
    names.filter->module(module.path.c_str(), module.bias, FilterKey, SayLine);
  }
}

void OpenFilter(const std::string& path, const std::string& groups, bool patch) {
  const char* name = path.empty() ? "EPK_GROUPS" : "EPK_FILTER";
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikFilterFunction>(FindInArchiveLibrary("epik_filter", &error));
  const EpikFilter* found = find == nullptr ? nullptr : find(kEpikFilterVersion);
  if (found == nullptr) {
    return base::Say("%s is not used: %s", name, error != nullptr ? error : "libepk_archive.so is of another version");
  }
  const char* words = groups.empty() ? nullptr : groups.c_str();
  if (found->open(path.empty() ? nullptr : path.c_str(), words, SayLine) == 0) {
    return base::Say("EPK_FILTER is not used: %s cannot be read", path.c_str());
  }
  if (patch) AllowPatching();
  const base::Locked lock(names.filter_lock);
  names.filter = found;
  names.seen = new std::vector<Seen>;
  SeeEachEvent();
}

}  // namespace

void StartFilter(const std::string& path, const std::string& groups, bool patch) {
  if (path.empty() && groups.empty()) return;
  if (names.filter == nullptr) OpenFilter(path, groups, patch);  // a forked child has its parent's
  if (names.filter == nullptr) return;
  const base::Locked lock(names.filter_lock);
  LookAtNewModules();
  const bool no_construct =
      names.filter->names_constructs() == 0 && names.filter->region("construct @", "", "openmp") == 0;
  if (no_construct) adapter_options.omp_groups = 0;
}

bool HasFilter() { return names.filter != nullptr; }

bool FilterNamesConstructs() {
  if (names.filter == nullptr) return false;
  const base::Locked lock(names.filter_lock);
  return names.filter->names_constructs() != 0;
}

void AllowPatching() { __atomic_store_n(&const_cast<FilterTable*>(filter_table)->patch, 1, __ATOMIC_RELAXED); }

bool FilterHasOut(const char* construct) {
  if (names.filter == nullptr) return false;
  const base::Locked lock(names.filter_lock);
  return names.filter->region(construct, "", "openmp") == 0;
}

void FilterNewModules() {
  if (names.filter == nullptr) return;
  const base::Locked lock(names.filter_lock);
  if (names.modules_seen != ModuleCount()) LookAtNewModules();
}

void PatchFiltered(Key key, uint64_t stack, bool is_enter) {
  if (event::IsRegion(key) || event::ConstructOf(key) != event::Construct::kNone) return;  // no hook of the compiler
  if (PatchCall(stack, is_enter)) return;
  __atomic_store_n(&const_cast<FilterTable*>(filter_table)->patch, 0, __ATOMIC_RELAXED);
}

bool FilterHasOut(const DefinedRegion& region) {
  if (names.filter == nullptr) return false;
  const event::Role role = region.role;
  if (role != event::Role::kFunction && role != event::Role::kUser && role != event::Role::kPhase) return false;
  const base::SignalsBlocked blocked;
  const base::Locked lock(names.filter_lock);
  return names.filter->region(region.name, region.file, config::ParadigmWord(static_cast<uint16_t>(region.paradigm))) ==
         0;
}

void FilterKey(Key key) {
  const base::Locked lock(names.table_lock);
  auto* table = const_cast<FilterTable*>(filter_table);
  if (4 * (names.keys_in_table + 1) > table->mask) {
    FilterTable* larger = Grow(table);
    if (larger != nullptr) table = larger;
    if (names.keys_in_table + 1 >= table->mask) return;  // no memory: measured after all
  }
  ++names.keys_in_table;
  Insert(table, key);
}

void ForgetFiltered(uint64_t begin, uint64_t end, uint64_t bias) {
  if (names.filter == nullptr) return;
  const base::SignalsBlocked blocked;
  const base::Locked lock(names.filter_lock);
  const base::Locked table(names.table_lock);
  auto* slots = const_cast<FilterTable*>(filter_table)->slots;
  for (uint64_t i = 0; i <= filter_table->mask; ++i) {
    const Key key = slots[i];
    if (key >= begin && key < end) __atomic_store_n(&slots[i], kGone, __ATOMIC_RELAXED);
  }
  for (Seen& module : *names.seen) {
    if (module.bias == bias) module.bias = ~uint64_t{0};
  }
}

namespace {

void Finish() {
  if (names.filter == nullptr) return;
  const base::Locked lock(names.filter_lock);
  names.filter->summary(NoteLine);
}

void Forget() {
  names.filter_lock.Reset();
  names.table_lock.Reset();
}

}  // namespace

const Part filter_part = {.name = "filter", .finish = Finish, .forget = Forget};

}  // namespace epik::episode
