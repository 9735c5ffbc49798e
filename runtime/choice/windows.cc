// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/windows.h"

#include <sys/mman.h>

#include "runtime/base/log.h"
#include "runtime/base/thread_memory.h"
#include "runtime/choice/named_keys.h"

namespace epik::choice {

using event::Location;
using event::NodeAt;

namespace {

constexpr uint32_t kNowhere = 1;  // no node has this number
struct Window {
  RegionWindow visits;
  // By line of the arena. For a node: the outermost node of the region among its ancestors and itself; kNowhere: there
  // is none; 0: not looked up yet. For a location: the visits that have ended; the line behind it holds the state that
  // it has inherited.
  uint32_t* at;
};

// The state that a thread gets when it works for another thread: whether that one is in a visit of the region.
enum Inherited : uint32_t { kNothing = 0, kOutside = 1, kWithin = 2 };

uint32_t& EndedOf(Window* window, const Location* location) { return window->at[base::LineOf(location)]; }
uint32_t& InheritedOf(Window* window, const Location* location) { return window->at[base::LineOf(location) + 1]; }

// The states of the thread that is about to get a location: two bits for each window.
constexpr size_t kMostInherited = 32;
EPIK_PER_THREAD base::PerThread<uint64_t> inherited_at_birth;

std::vector<Window*>* windows = nullptr;  // never destroyed: hooks come until the very end

size_t TableBytes() { return event::Process()->arena.bytes / base::kLineBytes * sizeof(uint32_t); }

uint32_t OutermostOf(Window* window, uint32_t node) {
  uint32_t& at = window->at[node];  // threads of a team look at their leader's, too
  if (const uint32_t known = __atomic_load_n(&at, __ATOMIC_RELAXED); known != 0) return known;
  FollowNewModules();
  uint32_t outermost = kNowhere;
  for (uint32_t n = node; n != 0; n = NodeAt(n)->parent) {
    if (window->visits.region->Has(NodeAt(n)->key)) outermost = n;
  }
  __atomic_store_n(&at, outermost, __ATOMIC_RELAXED);
  return outermost;
}

}  // namespace

void StartWindows(const std::vector<config::TraceSelection::Window>& chosen) {
  if (chosen.empty()) return;
  windows = new std::vector<Window*>;
  for (const config::TraceSelection::Window& one : chosen) {
    void* table =
        mmap(nullptr, TableBytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (table == MAP_FAILED) return base::Say("EPK_TRACE: no memory for its windows; they are ignored");
    windows->push_back(new Window{{"EPK_TRACE", one}, static_cast<uint32_t*>(table)});
  }
  event::Process()->collects |= event::kFollowWindows;
}

void ForgetWindows() {
  if (windows == nullptr) return;
  for (const Window* window : *windows) munmap(window->at, TableBytes());
  windows = nullptr;
}

bool HasWindows() { return windows != nullptr; }

namespace {

Inherited StateAt(Window* window, const Location* location, uint32_t node) {
  if (OutermostOf(window, node) == kNowhere) return kNothing;
  if (const uint32_t inherited = InheritedOf(window, location)) return static_cast<Inherited>(inherited);
  return window->visits.Holds(uint64_t{EndedOf(window, location)} + 1) ? kWithin : kOutside;
}

}  // namespace

bool InWindow(const Location* location, uint32_t node) {
  for (Window* window : *windows) {
    if (StateAt(window, location, node) == kWithin) return true;
  }
  return false;
}

bool LeaveInWindow(Location* location, uint32_t node) {
  bool in_one = false, stays = false;
  for (Window* window : *windows) {
    const Inherited state = StateAt(window, location, node);
    in_one = in_one || state == kWithin;
    const bool inherits = InheritedOf(window, location) != kNothing;
    const bool leaves = state != kNothing && OutermostOf(window, node) == node;
    if (leaves && !inherits) ++EndedOf(window, location);
    stays = stays || (state == kWithin && !leaves);
  }
  location->in_window = stays ? 1 : 0;
  return in_one;
}

void OpenWindows(Location* location) {
  if (windows == nullptr) return;
  uint64_t inherited = *inherited_at_birth;
  *inherited_at_birth = 0;
  for (Window* window : *windows) {
    EndedOf(window, location) = 0;
    InheritedOf(window, location) = static_cast<uint32_t>(inherited & 3);
    inherited >>= 2;
  }
  location->in_window = 0;
}

void CloseWindows(Location* location) {
  if (windows != nullptr) location->in_window = InWindow(location, location->node) ? 1 : 0;
}

uint64_t WindowsAround(const Location* location) {
  if (windows == nullptr) return 0;
  if (location == nullptr) return *inherited_at_birth;  // of a thread that runs nothing that is measured
  uint64_t states = 0;
  for (size_t i = 0; i < windows->size() && i < kMostInherited; ++i) {
    states |= uint64_t{StateAt((*windows)[i], location, location->node)} << 2 * i;
  }
  return states;
}

void InheritAtBirth(uint64_t states) { *inherited_at_birth = states; }

void InheritWindows(Location* location, const Location* leader, uint32_t node) {
  if (windows == nullptr || location == leader) return;
  for (Window* window : *windows) InheritedOf(window, location) = StateAt(window, leader, node);
  CloseWindows(location);
}

void NoteWindows() {
  if (windows == nullptr) return;
  for (const Window* window : *windows) window->visits.NoteUnopened("EPK_TRACE");
}

}  // namespace epik::choice
