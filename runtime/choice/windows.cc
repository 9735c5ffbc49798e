// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/windows.h"

#include <sys/mman.h>

#include <cstdio>

#include "runtime/base/log.h"
#include "runtime/choice/named_keys.h"
#include "runtime/episode/definitions.h"

namespace epik::episode {

using event::Location;
using event::NodeAt;

namespace {

constexpr uint32_t kNowhere = 1;  // no node has this number
struct Window {
  const NamedKeys* region;
  uint64_t first, last;
  // By line of the arena. Of a node: the outermost one above it, or itself, that is the region's; kNowhere: there is
  // none; 0: not looked up yet. Of a location: visits that have ended.
  uint32_t* at;
};

std::vector<Window*>* windows = nullptr;  // never destroyed: hooks come until the very end

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t); }

uint32_t OutermostOf(Window* window, uint32_t node) {
  if (const uint32_t known = window->at[node]; known != 0) return known;
  FollowNewModules();
  uint32_t outermost = kNowhere;
  for (uint32_t n = node; n != 0; n = NodeAt(n)->parent) {
    if (window->region->Has(NodeAt(n)->key)) outermost = n;
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
    windows->push_back(new Window{NamedKeys::Follow(one.region), one.first, one.last, static_cast<uint32_t*>(table)});
  }
}

void ForgetWindows() {
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

void NoteWindows() {
  if (windows == nullptr) return;
  for (const Window* window : *windows) {
    if (!window->region->empty()) continue;
    char text[512];
    std::snprintf(text, sizeof text, "EPK_TRACE: no function or region is called %s: its window never opened",
                  window->region->glob().c_str());
    Note(text);
  }
}

}  // namespace epik::episode
