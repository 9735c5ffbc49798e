// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/choice/pause.h"

#include <sys/mman.h>

#include "runtime/base/thread_memory.h"
#include "runtime/choice/gate.h"
#include "runtime/choice/named_keys.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/part.h"
#include "runtime/event/control.h"

namespace epik::choice {

using episode::current;
using episode::pauses;
using event::FrameAt;
using event::Key;
using event::Location;

namespace {

constexpr Key kKey = event::RegionKey(event::kPausedRegion);

// A function that a thread has entered and not left since it paused. When the thread goes on, these functions are
// entered, so that calls stay nested.
struct Entered {
  Key key;
  uint64_t stack;
};
constexpr uint32_t kMostEntered = 4096;
// The pause of the calling thread.
struct ThreadPause {
  Location* paused = nullptr;
  bool from_outside = false;
  Entered* entered = nullptr;
  // Calls beyond the room of `entered` are only counted.
  uint32_t entered_count = 0;
};
EPIK_PER_THREAD base::PerThread<ThreadPause> mine;

uint64_t Address(const void* stack) { return reinterpret_cast<uint64_t>(stack); }

// Constructs of OpenMP are left in other ways than they are entered.
bool IsCall(Key key) { return event::IsRegion(key) || event::IsFunction(key); }

bool MakeRoomForEntered() {
  if (mine->entered != nullptr) return true;
  const episode::Inside guard;
  void* memory = mmap(nullptr, kMostEntered * sizeof(Entered), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  mine->entered = static_cast<Entered*>(memory);
  return true;
}

void StartPause(Location* location, uint64_t stack) {
  *episode::paused_at = location->node;
  episode::Enter(location, kKey, stack, base::Now);
  mine->paused = current;
  EPIK_ORDER();
  current = nullptr;
}

// Ends a call that was entered before the pause. The part of the pause within this call ends with it.
void LeaveWithinPause(Location* location, uint32_t index, uint64_t stack) {
  const uint64_t now = base::Now();
  for (uint32_t above = index + 1; above < location->top; ++above) location->repairs += !event::IsOff(FrameAt(above));
  episode::PutBack(location);
  if (current == nullptr) return;
  episode::CloseFrames(location, index, now);
  StartPause(location, stack);
}

// Calls have ended, perhaps the call that opened a window.
void SetEntered(uint32_t count) {
  mine->entered_count = count;
  if (gate->entered > count) gate->entered = 0;
}

void NoteEntered(Key key, uint64_t stack) {
  if (mine->entered == nullptr) return;
  if (mine->entered_count < kMostEntered) mine->entered[mine->entered_count] = {key, stack};
  ++mine->entered_count;
}

// Whether the call was entered during the pause.
bool NoteLeft(Key key) {
  if (mine->entered_count > kMostEntered) {
    SetEntered(mine->entered_count - 1);
    return true;
  }
  for (uint32_t i = mine->entered_count; i > 0; --i) {
    if (mine->entered[i - 1].key != key) continue;
    SetEntered(i - 1);
    return true;
  }
  return false;
}

bool StartPauseFromOutside(Location* location, uint64_t stack) {
  if (!MakeRoomForEntered()) return false;
  mine->from_outside = true;
  StartPause(location, stack);
  ++pauses;
  mine->entered_count = 0;
  gate->skips = 0;
  return true;
}

// Nobody wants the pause any more.
bool IsOver() {
  LookAtClock();
  if (episode::IsPauseWanted()) return false;
  if (!has_gate) return true;
  // The call that opened the window may have ended during another pause.
  if (mine->paused != nullptr && DepthOfFrames(mine->paused) - 1 < gate->depth) gate->depth = 0;
  return gate->IsOpen();
}

// Ends the pause if it is over, with the call that is about to be entered or without. Sometimes the calls that were
// entered meanwhile are too deep to be known; then the pause ends later.
bool GoOn(const void* stack, bool enters) {
  if (!IsOver() || mine->entered_count > kMostEntered) return false;
  mine->from_outside = false;
  const uint32_t count = mine->entered_count;
  const uint32_t opened_by = gate->entered;
  mine->entered_count = 0;
  gate->entered = 0;
  Resume(stack);
  gate->skips = count + (enters ? 1 : 0);
  for (uint32_t i = 0; i <= count; ++i) {
    const Location* location = current;
    if (opened_by == i + 1 && location != nullptr) gate->depth = DepthOfFrames(location) + 1;
    if (i == count) break;
    const Entered call = mine->entered[i];
    if (location != nullptr) {
      episode::Enter(call.key, reinterpret_cast<const void*>(call.stack));
    } else {
      EnterWhilePaused(call.key, call.stack);  // paused again meanwhile
    }
  }
  return current != nullptr;
}

}  // namespace

void Pause(const void* stack) {
  if (pauses == 0) {
    mine->entered_count = 0;
    MakeRoomForEntered();  // without room, calls that go on after the pause hang below the node where it began
    if (Location* location = episode::CurrentLocation()) StartPause(location, Address(stack));
  }
  ++pauses;
}

bool PauseFromOutside(Location* location, Key key, uint64_t stack) {
  if (!IsCall(key) || !StartPauseFromOutside(location, stack)) return false;
  mine->entered_count = 1;
  mine->entered[0] = {key, stack};
  return true;
}

void BeginAtGate(Location* location, bool within) {
  if (!has_gate) return;
  *gate = {};
  if (within) gate->depth = 1;
  if (!within) StartPauseFromOutside(location, ~uint64_t{0});
}

void EnterWithinGate(Key key, uint64_t stack) {
  if (gate->skips != 0) {
    --gate->skips;
    return;
  }
  PauseOutsideGate(stack);
  const Location* location = current;
  if (location == nullptr) return;
  FollowModuleOf(key);
  CountVisit(key, location->node, mine->entered, 0);
}

void PauseOutsideGate(uint64_t stack) {
  Location* location = current;
  if (location == nullptr || DepthOfFrames(location) >= gate->depth) return;
  gate->depth = 0;
  StartPauseFromOutside(location, stack);
}

bool EnterWhilePaused(Key key, uint64_t stack) {
  if (episode::CurrentStage() != episode::Stage::kOn || !IsCall(key)) return false;
  if (!mine->from_outside || pauses != 1) {
    NoteEntered(key, stack);
    return false;
  }
  if (has_gate) FollowModuleOf(key);
  const uint32_t known = mine->entered_count < kMostEntered ? mine->entered_count : kMostEntered;
  if (has_gate && CountVisit(key, *episode::paused_at, mine->entered, known) && !gate->IsOpen())
    gate->entered = mine->entered_count + 1;
  if (GoOn(reinterpret_cast<const void*>(stack), true)) return true;
  NoteEntered(key, stack);
  return false;
}

bool ExitWhilePaused(Key key, uint64_t stack) {
  Location* location = mine->paused;
  if (mine->entered == nullptr) return false;
  if (mine->from_outside && pauses == 1 && location != nullptr && GoOn(reinterpret_cast<const void*>(stack), false)) {
    return true;
  }
  if (NoteLeft(key) || location == nullptr) return false;
  // Never the outermost frame: only the end of the thread closes it.
  for (uint32_t i = location->top - 1; i > location->bottom + 1; --i) {
    if (FrameAt(i)->key != key) continue;
    SetEntered(0);
    LeaveWithinPause(location, i, stack);
    break;
  }
  return false;
}

void JumpWhilePaused(uint64_t landing, episode::StackRange left) {
  Location* location = mine->paused;
  if (location == nullptr || episode::CurrentStage() != episode::Stage::kOn) return;
  uint32_t known = mine->entered_count < kMostEntered ? mine->entered_count : kMostEntered;
  while (known > 0 && episode::IsLeft(mine->entered[known - 1].stack + episode::kHookBelowCaller, landing, left))
    --known;
  if (known < kMostEntered) SetEntered(known);
  uint32_t alive = location->top - 1;
  while (alive > location->bottom + 1 &&
         episode::IsLeft(FrameAt(alive)->stack + episode::kHookBelowCaller, landing, left))
    --alive;
  if (alive == location->top - 1) return;
  location->repairs += !event::IsOff(FrameAt(alive + 1));
  LeaveWithinPause(location, alive + 1, landing);
}

void Resume(const void* stack) {
  if (pauses == 0 || (mine->from_outside && pauses == 1) || --pauses != 0) return;
  Location* location = mine->paused;
  mine->paused = nullptr;
  *episode::paused_at = 0;
  const uint32_t count = mine->entered_count <= kMostEntered ? mine->entered_count : 0;
  mine->entered_count = 0;
  // The measurement may have ended meanwhile, and taken the location with it.
  if (location == nullptr || episode::CurrentStage() != episode::Stage::kOn) return;
  episode::PutBack(location);
  if (current == nullptr) return;
  episode::Exit(location, kKey, Address(stack), base::Now);
  for (uint32_t i = 0; i < count && current != nullptr; ++i) {
    episode::Enter(mine->entered[i].key, reinterpret_cast<const void*>(mine->entered[i].stack));
  }
}

// The end of the measurement takes the location away.
Location* PausedLocation() { return pauses != 0 && episode::HasLocation() ? mine->paused : nullptr; }

void EndPause() {
  // A handler that comes now may note calls, too.
  Entered* const entered = mine->entered;
  mine->entered_count = 0;
  mine->entered = nullptr;
  if (entered != nullptr) munmap(entered, kMostEntered * sizeof(Entered));
  mine->from_outside = false;
  *gate = {};
  if (pauses == 0) return;
  pauses = 1;
  Resume(__builtin_frame_address(0));
}

void ForgetPause() {
  mine->paused = nullptr;
  *episode::paused_at = 0;
  // A pause from outside concerned the parent, not the child.
  if (mine->from_outside && pauses == 1) pauses = 0;
  mine->from_outside = false;
  if (pauses == 0) mine->entered_count = 0;
}

const episode::Part pause_part = {.name = "pause", .forget = ForgetPause, .begins = BeginAtGate, .ends = EndPause};

}  // namespace epik::choice
