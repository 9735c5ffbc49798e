// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/windows.h"

#include <fnmatch.h>
#include <sys/mman.h>

#include <cstdio>
#include <string>

#include "runtime/archive/named_functions.h"
#include "runtime/base/log.h"
#include "runtime/base/spinlock.h"
#include "runtime/episode/archive_library.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/episode/modules.h"

namespace epik::episode {

using event::Key;
using event::Location;
using event::NodeAt;

namespace {

constexpr uint32_t kNowhere = 1;  // no node has this number
constexpr uint32_t kMostKeys = 256;

struct Window {
  std::string region;
  uint64_t first, last;
  uint32_t keys;  // how many there are; grows
  Key key[kMostKeys];
  // By line of the arena. Of a node: the outermost one above it, or itself, that is the region's; kNowhere: there is
  // none; 0: not looked up yet. Of a location: visits that have ended.
  uint32_t* at;
};

std::vector<Window*>* windows = nullptr;  // never destroyed: hooks come until the very end
base::SpinLock windows_lock;              // of keys
uint32_t modules_seen = 0;
Window* looking = nullptr;

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t); }

void AddKey(Window* window, Key key) {
  for (uint32_t i = 0; i < window->keys; ++i) {
    if (window->key[i] == key) return;
  }
  if (window->keys == kMostKeys) return;
  window->key[window->keys] = key;
  __atomic_store_n(&window->keys, window->keys + 1, __ATOMIC_RELEASE);
}

void FoundFunction(uint64_t address) { AddKey(looking, address); }

// REQUIRES: windows_lock.
void LookAtModules() {
  modules_seen = ModuleCount();
  const char* error = nullptr;
  auto* find = reinterpret_cast<EpikFunctionsNamed>(FindInArchiveLibrary("epik_functions_named", &error));
  if (find == nullptr) return;
  for (Window* window : *windows) {
    looking = window;
    ForEachMappedModule(
        [](const char* path, uint64_t bias, void* named) {
          reinterpret_cast<EpikFunctionsNamed>(named)(looking->region.c_str(), path, bias, FoundFunction);
        },
        reinterpret_cast<void*>(find));
  }
}

bool IsOfRegion(const Window* window, Key key) {
  const uint32_t keys = __atomic_load_n(&window->keys, __ATOMIC_ACQUIRE);
  for (uint32_t i = 0; i < keys; ++i) {
    if (window->key[i] == key) return true;
  }
  return false;
}

uint32_t OutermostOf(Window* window, uint32_t node) {
  if (const uint32_t known = window->at[node]; known != 0) return known;
  if (modules_seen != ModuleCount()) {
    const Inside guard;
    const base::Locked lock(windows_lock);
    LookAtModules();
  }
  uint32_t outermost = kNowhere;
  for (uint32_t n = node; n != 0; n = NodeAt(n)->parent) {
    if (IsOfRegion(window, NodeAt(n)->key)) outermost = n;
  }
  return window->at[node] = outermost;
}

}  // namespace

void StartWindows(const std::vector<config::TraceSelection::Window>& chosen) {
  if (chosen.empty()) return;
  windows = new std::vector<Window*>;
  for (const config::TraceSelection::Window& one : chosen) {
    void* table =
        mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) return base::Say("EPK_TRACE: no memory for its windows; they are ignored");
    windows->push_back(new Window{one.region, one.first, one.last, 0, {}, static_cast<uint32_t*>(table)});
  }
  const base::Locked lock(windows_lock);
  LookAtModules();
}

void ForgetWindows() {
  windows_lock.Reset();
  if (windows == nullptr) return;
  for (const Window* window : *windows) munmap(window->at, TableBytes());
  windows = nullptr;
}

bool HasWindows() { return windows != nullptr; }

bool InWindow(const Location* location, uint32_t node, bool ends) {
  bool in_one = false;
  for (Window* window : *windows) {
    const uint32_t outermost = OutermostOf(window, node);
    if (outermost == kNowhere) continue;
    uint32_t& ended = window->at[base::LineOf(location)];
    const uint64_t number = uint64_t{ended} + 1;
    in_one = in_one || (number >= window->first && number <= window->last);
    if (ends && outermost == node) ++ended;
  }
  return in_one;
}

void NoteWindowRegion(const char* name, Key key) {
  if (windows == nullptr) return;
  const base::Locked lock(windows_lock);
  for (Window* window : *windows) {
    if (fnmatch(window->region.c_str(), name, 0) == 0) AddKey(window, key);
  }
}

void NoteWindows() {
  if (windows == nullptr) return;
  for (const Window* window : *windows) {
    if (window->keys != 0) continue;
    char text[512];
    std::snprintf(text, sizeof text, "EPK_TRACE: no function or region is called %s: its window never opened",
                  window->region.c_str());
    Note(text);
  }
}

}  // namespace epik::episode
