// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/frames.h"

#include <atomic>
#include <cstring>

#include "runtime/base/arena.h"
#include "runtime/base/signals_blocked.h"
#include "runtime/episode/displaced.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/untimed_hot.h"
#include "runtime/event/control.h"

namespace epik::episode {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::LineAt;

uint32_t frame_limit = 0;
uint32_t first_frames = 1024;

namespace {

constexpr uint32_t kFramesPerLine = base::kLineBytes / sizeof(Frame);

// Room for `frames` frames and the overflow mark. The first half line below them is the header's, whose zero key no
// event has.
uint32_t Allocate(Location* location, uint32_t frames) {
  return Arena::Allocate(ChunkKind::kFrames, base::LineOf(location), 1 + (frames + kFramesPerLine) / kFramesPerLine);
}

// Index of the last frame a chunk has room for, below the place of the overflow mark.
uint32_t LastFrame(uint32_t chunk) { return (chunk + LineAt<ChunkHeader>(chunk)->lines) * kFramesPerLine - 2; }

}  // namespace

uint32_t AllocateFrames(Location* location) {
  return Allocate(location, frame_limit != 0 ? frame_limit : first_frames);
}

// A process that pauses the measurement from outside takes the room away, so that the next frame takes the slow way.
void GiveFrames(Location* location, uint32_t limit) {
  __atomic_store_n(&location->limit, limit, __ATOMIC_SEQ_CST);
  if (IsPauseWanted()) __atomic_store_n(&location->limit, 0, __ATOMIC_RELAXED);
}

uint32_t WholeLimit(const Location* location) {
  const uint32_t last = LastFrame(location->bottom / kFramesPerLine);
  return frame_limit != 0 && location->bottom + frame_limit < last ? location->bottom + frame_limit : last;
}

void UseFrames(Location* location, uint32_t chunk) {
  location->bottom = chunk * kFramesPerLine + kFramesPerLine - 1;
  location->top = location->bottom;
  location->logged = location->bottom;
  GiveFrames(location, WholeLimit(location));
}

bool EndsByItself(const Frame* frame) {
  const Key key = frame->key;
  if (event::IsOff(frame)) return true;
  return event::IsParameter(key) || (!event::IsRegion(key) && event::ConstructOf(key) == event::Construct::kSingle);
}

void PushAt(Location* location, Key key, uint32_t node, uint64_t now, uint64_t stack) {
  const uint64_t last = location->last;
  Push(location, node, key, stack, [now] { return now; });
  location->last = last > now ? last : now;
}

bool IsOverflowMark(const Location* location) {
  return location->top != location->bottom && FrameAt(location->top)->key == kOverflowKey;
}

void PopOverflowMark(Location* location) {
  location->overflow = 0;
  location->node = FrameAt(location->top)->outer;
  EPIK_ORDER();
  --location->top;
}

// Copies the frames into twice the room. A reader finds the stack by `top` alone, so only the store to `top` makes the
// new stack valid.
bool GrowFrames(Location* location) {
  const base::SignalsBlocked blocked;  // a handler that jumped away now would leave half of the copy
  const uint32_t depth = location->top - location->bottom;
  const uint32_t frames = 2 * (depth + 1);
  const uint32_t chunk = Allocate(location, frames);
  if (chunk == 0) return false;
  const uint32_t old_chunk = location->bottom / kFramesPerLine;
  const uint32_t bottom = chunk * kFramesPerLine + kFramesPerLine - 1;
  std::memcpy(static_cast<void*>(FrameAt(bottom + 1)), FrameAt(location->bottom + 1), depth * sizeof(Frame));
  EPIK_ORDER();
  location->logged = bottom + (location->logged - location->bottom);
  if (location->exchanging != 0) location->exchanging = bottom + (location->exchanging - location->bottom);
  EPIK_ORDER();
  location->top = bottom + depth;
  location->bottom = bottom;
  GiveFrames(location, LastFrame(chunk));
  std::atomic_ref<ChunkKind>(LineAt<ChunkHeader>(old_chunk)->kind)
      .store(ChunkKind::kRetired, std::memory_order_relaxed);
  return true;
}

void CloseFrames(Location* location, uint32_t index, uint64_t now) {
  Charge(location);
  while (location->top >= index && location->top != location->bottom) {
    if (IsOverflowMark(location)) {
      PopOverflowMark(location);
      continue;
    }
    const Frame* frame = FrameAt(location->top);
    if (!IsWhole(location, location->top)) {
      --location->top;  // and location->node is what it found
      continue;
    }
    if (EPIK_UNLIKELY((frame->entered & event::kUntimed) != 0)) {
      CloseUntimed(location, frame, now);
      continue;
    }
    const uint64_t duration = now > frame->entered ? now - frame->entered : 0;
    const bool logs = IsForTrace(location, duration) && epilog::BeginLogEnd(location, frame, now);
    epitome::Record(NodeAt(frame->node), duration);
    choice::NoteTimed(frame->node);
    if (location->top == location->bottom + 1) {
      // The outermost frame of a thread hangs below its creator's path, so the whole path was "open" on this thread.
      for (uint32_t n = NodeAt(frame->node)->parent; n != 0; n = NodeAt(n)->parent) NodeAt(n)->ticks += duration;
    } else if (NodeAt(frame->node)->parent != frame->outer) {
      Displace(location, frame->node, frame->outer, fibers::TicksOfLastPart(location, now, duration));
    }
    location->node = frame->outer;
    EPIK_ORDER();
    --location->top;
    if (logs && epilog::EndLog(location)) now = location->last;
  }
  location->last = now;
}

}  // namespace epik::episode
