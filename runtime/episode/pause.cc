// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/pause.h"

#include <sys/mman.h>

#include <atomic>

#include "runtime/episode/definitions.h"
#include "runtime/episode/lifecycle.h"
#include "runtime/episode/location.h"
#include "runtime/episode/location_hot.h"
#include "runtime/event/control.h"

namespace epik::episode {

__thread unsigned pauses __attribute__((tls_model("initial-exec"))) = 0;
bool stop_when_full = false;

namespace {

__thread Location* paused __attribute__((tls_model("initial-exec"))) = nullptr;
__thread uint32_t paused_at __attribute__((tls_model("initial-exec"))) = 0;

constexpr Key kKey = event::RegionKey(event::kPausedRegion);

// Of a thread that was paused from outside, in the midst of whatever it does: the functions it has entered since and
// not left. They are entered when it goes on, so that calls stay nested.
struct Entered {
  Key key;
  uint64_t stack;
};
constexpr uint32_t kMostEntered = 4096;
__thread bool from_outside __attribute__((tls_model("initial-exec"))) = false;
__thread Entered* entered __attribute__((tls_model("initial-exec"))) = nullptr;
// Those beyond the most are only counted.
__thread uint32_t entered_count __attribute__((tls_model("initial-exec"))) = 0;

uint64_t Address(const void* stack) { return reinterpret_cast<uint64_t>(stack); }

// Constructs of OpenMP are left in other ways than they are entered.
bool IsCall(Key key) { return event::IsRegion(key) || event::IsFunction(key); }

bool MakeRoomForEntered() {
  if (entered != nullptr) return true;
  const Inside guard;
  void* memory = mmap(nullptr, kMostEntered * sizeof(Entered), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  entered = static_cast<Entered*>(memory);
  return true;
}

void StartPause(Location* location, uint64_t stack) {
  paused_at = location->node;
  Enter(location, kKey, stack, base::Now);
  paused = current;
  EPIK_ORDER();
  current = nullptr;
}

// The call was entered before the pause, and ends within it: so does the part of the pause that was in it.
void LeaveWithinPause(Location* location, uint32_t index, uint64_t stack) {
  const uint64_t now = base::Now();
  for (uint32_t above = index + 1; above < location->top; ++above) location->repairs += !event::IsOff(FrameAt(above));
  PutBack(location);
  if (current == nullptr) return;
  CloseFrames(location, index, now);
  StartPause(location, stack);
}

// Goes on if that is wanted. What was entered meanwhile is too deep to be known now and then: later, then.
bool GoOn(const void* stack) {
  if (IsPauseWanted() || entered_count > kMostEntered) return false;
  from_outside = false;
  const uint32_t count = entered_count;
  entered_count = 0;
  Resume(stack);
  for (uint32_t i = 0; i < count; ++i) {
    const Entered call = entered[i];
    if (current != nullptr) {
      Enter(call.key, reinterpret_cast<const void*>(call.stack));
    } else {
      EnterWhilePaused(call.key, call.stack);  // paused again meanwhile
    }
  }
  return current != nullptr;
}

}  // namespace

bool IsPauseWanted() { return event::IsWanted({base::arena_base, event::Process()->arena.bytes}, event::kPaused); }

void Pause(const void* stack) {
  if (pauses == 0) {
    if (Location* location = CurrentLocation()) StartPause(location, Address(stack));
  }
  ++pauses;
}

bool PauseFromOutside(Location* location, Key key, uint64_t stack) {
  if (!IsCall(key) || !MakeRoomForEntered()) return false;
  from_outside = true;
  StartPause(location, stack);
  ++pauses;
  entered_count = 1;
  entered[0] = {key, stack};
  return true;
}

bool EnterWhilePaused(Key key, uint64_t stack) {
  if (!from_outside || pauses != 1 || CurrentStage() != Stage::kOn || !IsCall(key)) return false;
  if (GoOn(reinterpret_cast<const void*>(stack))) return true;
  if (entered_count < kMostEntered) entered[entered_count] = {key, stack};
  ++entered_count;
  return false;
}

bool ExitWhilePaused(Key key, uint64_t stack) {
  Location* location = paused;
  if (!from_outside || pauses != 1 || location == nullptr) return false;
  if (GoOn(reinterpret_cast<const void*>(stack))) return true;
  if (entered_count > kMostEntered) {
    --entered_count;
    return false;
  }
  for (uint32_t i = entered_count; i > 0; --i) {
    if (entered[i - 1].key != key) continue;
    entered_count = i - 1;
    return false;
  }
  // Never the outermost frame: that is closed by the end of the thread alone.
  for (uint32_t i = location->top - 1; i > location->bottom + 1; --i) {
    if (FrameAt(i)->key != key) continue;
    entered_count = 0;
    LeaveWithinPause(location, i, stack);
    break;
  }
  return false;
}

void Resume(const void* stack) {
  if (pauses == 0 || --pauses != 0) return;
  Location* location = paused;
  paused = nullptr;
  // The measurement may have ended meanwhile, and taken the location with it.
  if (location == nullptr || CurrentStage() != Stage::kOn) return;
  PutBack(location);
  if (current != nullptr) Exit(current, kKey, Address(stack), base::Now);
}

void StopThisThread() {
  current = nullptr;
  ++pauses;  // and no resume brings it back: there is no location to return to
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  Inside guard;
  Note("memory was full: threads that came to a new call path were measured no more from there on (EPK_OVERFLOW=stop)");
}

uint32_t NodeOfPause() { return paused != nullptr ? paused_at : 0; }

void EndPause() {
  if (entered != nullptr) munmap(entered, kMostEntered * sizeof(Entered));
  entered = nullptr;
  entered_count = 0;
  from_outside = false;
  if (pauses == 0) return;
  pauses = 1;
  Resume(__builtin_frame_address(0));
}

void ForgetPause() {
  paused = nullptr;
  // What paused the parent has not paused the child.
  if (from_outside && pauses == 1) pauses = 0;
  from_outside = false;
  entered_count = 0;
}

}  // namespace epik::episode
