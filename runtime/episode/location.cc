// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/location.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "runtime/base/spinlock.h"
#include "runtime/episode/cold.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/displaced.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/modules.h"
#include "runtime/episode/numbers.h"
#include "runtime/episode/part.h"
#include "runtime/episode/untimed_hot.h"
#include "runtime/event/control.h"

namespace epik::episode {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::LineAt;
using event::LocationState;
using event::RegionKey;

__thread ThreadSlot current __attribute__((tls_model("initial-exec")));
__thread bool inside __attribute__((tls_model("initial-exec"))) = false;

uint32_t frame_limit = 0;
uint32_t first_frames = 1024;
uint32_t thread_limit = 0;
bool stop_when_full = false;
__thread unsigned pauses __attribute__((tls_model("initial-exec"))) = 0;
__thread uint32_t paused_at __attribute__((tls_model("initial-exec"))) = 0;
__thread uint64_t cold_stack __attribute__((tls_model("initial-exec"))) = 0;
__thread uint32_t joins_team_as __attribute__((tls_model("initial-exec"))) = 0;

namespace {

constexpr uint32_t kFramesPerLine = base::kLineBytes / sizeof(Frame);
constexpr uint32_t kLocationLines = sizeof(Location) / base::kLineBytes;
base::SpinLock registry_lock;
uint32_t location_chunk = 0;
uint32_t free_locations = 0;  // line of the first whose thread has ended
bool frozen = false;          // no location is given out any more

// Every thread that has a location, so that it can be taken away. A thread leaves the list before its memory goes.
// Under the registry's lock, but for `listed`, which the thread itself looks at whenever it likes.
struct Attached {
  ThreadSlot* slot;
  Location* location;
  Attached* next;
  Attached* previous;
  std::atomic<bool> listed;
};
__thread Attached attached __attribute__((tls_model("initial-exec"))) = {};
Attached* all_attached = nullptr;

void List(Location* location) {
  attached.slot = &current;
  attached.location = location;
  attached.previous = nullptr;
  attached.next = all_attached;
  if (all_attached != nullptr) all_attached->previous = &attached;
  all_attached = &attached;
  attached.listed = true;
}

void Unlist() {
  if (!attached.listed) return;
  if (attached.next != nullptr) attached.next->previous = attached.previous;
  (attached.previous != nullptr ? attached.previous->next : all_attached) = attached.next;
  attached.listed = false;
}

// A frame that has no end of its own: a parameter, and what `#pragma omp single` makes one thread do (team.h). And one
// that is not measured.
bool EndsByItself(const Frame* frame) {
  const Key key = frame->key;
  if (event::IsOff(frame)) return true;
  return event::IsParameter(key) || (!event::IsRegion(key) && event::ConstructOf(key) == event::Construct::kSingle);
}

// Room for `frames` frames and the overflow mark. The first half line below them is the header's, whose zero key no
// event has.
uint32_t AllocateFrames(Location* location, uint32_t frames) {
  return Arena::Allocate(ChunkKind::kFrames, base::LineOf(location), 1 + (frames + kFramesPerLine) / kFramesPerLine);
}

// Index of the last frame a chunk has room for, below the place of the overflow mark.
uint32_t LastFrame(uint32_t chunk) { return (chunk + LineAt<ChunkHeader>(chunk)->lines) * kFramesPerLine - 2; }

// Whoever pauses the measurement from outside takes the room away: then the next frame takes the slow way.
void SetLimit(Location* location, uint32_t limit) {
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
  SetLimit(location, WholeLimit(location));
}

uint32_t FirstFrames() { return frame_limit != 0 ? frame_limit : first_frames; }

Location* NewLocation() {
  ChunkHeader* chunk = LineAt<ChunkHeader>(location_chunk);
  if (location_chunk == 0 || 1 + (chunk->used + 1) * kLocationLines > chunk->lines) {
    const uint32_t next = Arena::Allocate(ChunkKind::kLocation, 0, base::kChunkLines);
    if (next == 0) return nullptr;
    uint32_t& link = location_chunk != 0 ? chunk->next : event::Process()->first_locations;
    __atomic_store_n(&link, next, __ATOMIC_RELEASE);
    location_chunk = next;
    chunk = LineAt<ChunkHeader>(next);
  }
  auto* location = LineAt<Location>(location_chunk + 1 + chunk->used * kLocationLines);
  const uint32_t frames = AllocateFrames(location, FirstFrames());
  if (frames == 0 || !epitome::OpenLocation(location)) return nullptr;
  UseFrames(location, frames);
  std::atomic_ref<uint32_t>(event::Process()->locations).fetch_add(1, std::memory_order_relaxed);
  location->number = TakeNumber(joins_team_as != 0 ? joins_team_as - 1 : 0);
  std::atomic_ref<uint32_t>(chunk->used).fetch_add(1, std::memory_order_release);
  return location;
}

Location* TakeFreeLocation() {
  if (free_locations == 0) return nullptr;
  auto* location = LineAt<Location>(free_locations);
  free_locations = location->next_free;
  return location;
}

// A frame that is not below the one before it: its own clock, and no event.
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

// Twice the room, frames and all. A reader knows the stack by `top` alone, so that is the store which counts.
bool GrowFrames(Location* location) {
  const base::SignalsBlocked blocked;  // a handler that jumped away now would leave half of it
  const uint32_t depth = location->top - location->bottom;
  const uint32_t frames = 2 * (depth + 1);
  const uint32_t chunk = AllocateFrames(location, frames);
  if (chunk == 0) return false;
  const uint32_t old_chunk = location->bottom / kFramesPerLine;
  const uint32_t bottom = chunk * kFramesPerLine + kFramesPerLine - 1;
  std::memcpy(static_cast<void*>(FrameAt(bottom + 1)), FrameAt(location->bottom + 1), depth * sizeof(Frame));
  EPIK_ORDER();
  location->logged = bottom + (location->logged - location->bottom);
  EPIK_ORDER();
  location->top = bottom + depth;
  location->bottom = bottom;
  SetLimit(location, LastFrame(chunk));
  std::atomic_ref<ChunkKind>(LineAt<ChunkHeader>(old_chunk)->kind)
      .store(ChunkKind::kRetired, std::memory_order_relaxed);
  return true;
}

void StopThisThread() {
  current = nullptr;
  ++pauses;  // and no resume brings it back: there is no location to return to
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  Inside guard;
  Note("memory was full: threads that came to a new call path were measured no more from there on (EPK_OVERFLOW=stop)");
}

}  // namespace

uint32_t ChildOf(Location* location, uint32_t parent, Key key) {
  const uint32_t child = epitome::KnownChild(NodeAt(parent), key);
  return child != 0 ? child : epitome::AddChild(location, parent, key);
}

// Paths may be deep, and they are linked upwards only: they are read in blocks from the top down.
uint32_t CopyPath(Location* location, uint32_t node) {
  constexpr uint32_t kBlock = 256;
  uint32_t depth = 0;  // below the root
  for (uint32_t n = node; n != 0 && NodeAt(n)->parent != 0; n = NodeAt(n)->parent) ++depth;
  uint32_t mine = location->root;
  for (uint32_t done = 0; done < depth;) {
    Key keys[kBlock];
    const uint32_t count = depth - done < kBlock ? depth - done : kBlock;
    uint32_t n = node;
    for (uint32_t up = depth; up > done + count; --up) n = NodeAt(n)->parent;
    for (uint32_t i = count; i-- > 0; n = NodeAt(n)->parent) keys[i] = NodeAt(n)->key;
    for (uint32_t i = 0; i < count; ++i) mine = ChildOf(location, mine, keys[i]);
    done += count;
  }
  return mine;
}

void EnterOther(Location* location, Key key, uint64_t stack) {
  const uint32_t child = KnownChild(location, key);
  const bool usual = child != 0 && HasRoomForFrame(location) && base::clock_is_tsc;
  if (EPIK_UNLIKELY(!usual)) return EnterSlowly(location, key, stack);
  __builtin_prefetch(NodeAt(child), 1);  // it will be needed a few calls from now
  Push(location, child, key, stack, base::ReadTsc);
}

void EnterSlowly(Location* location, Key key, uint64_t stack) {
  if (EPIK_UNLIKELY(IsPauseWanted()) && PauseFromOutside(location, key, stack)) return;
  Enter(location, key, stack, base::Now);
}

// What a handler brings lies below the call path that was current when it came, and the frame it left above ours still
// says which that was. Its time must not be counted inside a region that had not begun, or had ended, by the clock.
void EnterInterrupted(Location* location, uint32_t top, uint32_t child, uint64_t entered) {
  // The stack may have grown meanwhile: then only the place reserved in the old one has been filled.
  if (location->top != top) *FrameAt(location->top) = *FrameAt(top);
  if (location->last <= entered) return;
  if (FrameAt(location->top + 1)->outer != child) FrameAt(location->top)->entered = location->last;
}

// The frame is closed, and still above what was current before it.
void ExitInterrupted(Location* location, uint64_t left, uint64_t node, Key key, uint64_t ticks) {
  const uint32_t closed = FrameAt(location->top)->node;
  if (FrameAt(location->top + 1)->outer == closed) NodeAt(closed)->ticks += location->last - left;
  --location->top;
  RecordElsewhere(location, node, key, ticks);
}

void ExitInExchange(Location* location, uint64_t left) {
  const Frame* frame = FrameAt(location->top);
  RecordElsewhere(location, frame->node, frame->key, left > frame->entered ? left - frame->entered : 0);
  location->node = frame->outer;
  EPIK_ORDER();
  if (location->last < left) location->last = left;
  --location->top;
}

void RecordElsewhere(Location* location, uint64_t node, Key key, uint64_t ticks) {
  if (node == 0) return;
  auto child = static_cast<uint32_t>(node);
  const Key found = NodeAt(child)->key;
  if (found != key && child != location->sink && !event::IsRetired(found)) {
    __atomic_store_n(&epitome::marks_are_trusted, false, __ATOMIC_RELAXED);
    const uint32_t parent = NodeAt(child)->parent;
    child = epitome::FindChild(NodeAt(parent), key);
    if (child == 0) child = MakeChild(location, parent, key);
    if (child == 0) return;
  }
  epitome::Record(NodeAt(child), ticks);
}

void CloseUntimed(Location* location, const Frame* frame, uint64_t now) {
  if (event::IsOff(frame)) return PopOff(location, frame);
  const bool logs = location->top <= location->logged && BeginLogEnd(location, frame, now);
  PopUntimed(location, frame);
  if (logs) EndLog(location);
}

void ExitSlowly(Location* location, Key key, uint64_t stack) { Exit(location, key, stack, base::Now); }

uint32_t MakeChild(Location* location, uint32_t parent, Key key) {
  uint32_t child;
  {
    Cold cold(location);
    NoteNewPath(key);
    child = epitome::AddChild(location, parent, key);
  }
  if (EPIK_LIKELY(child != location->sink) || !stop_when_full || Arena::Exhausted() == 0) return child;
  StopThisThread();
  return 0;
}

uint32_t MakeMetric(Location* location, uint32_t parent, Key key) {
  if (parent == location->sink) return 0;
  uint32_t child;
  if (inside) {
    child = epitome::AddChild(location, parent, key);
  } else {
    Cold cold(location);
    child = epitome::AddChild(location, parent, key);
  }
  return child != location->sink ? child : 0;
}

bool MakeRoomForFrame(Location* location) {
  if (EPIK_UNLIKELY(__atomic_load_n(&location->limit, __ATOMIC_RELAXED) == 0)) {
    const uint32_t whole = WholeLimit(location);
    if (!IsPauseWanted()) SetLimit(location, whole);
    if (location->top < whole) return true;
  }
  Cold cold(location);
  if (IsOverflowMark(location)) {
    ++location->overflow;
    ++NodeAt(location->sink)->visits;
    return false;
  }
  if (frame_limit == 0 && GrowFrames(location)) return true;
  PushAt(location, kOverflowKey, location->sink, location->last, FrameAt(location->top)->stack);
  location->overflow = 1;
  ++NodeAt(location->sink)->visits;
  return false;
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
    const bool logs = IsForTrace(location, duration) && BeginLogEnd(location, frame, now);
    epitome::Record(NodeAt(frame->node), duration);
    NoteTimed(frame->node);
    if (location->top == location->bottom + 1) {
      // The outermost frame of a thread hangs below its creator's path: all that path was "open" on this thread.
      for (uint32_t n = NodeAt(frame->node)->parent; n != 0; n = NodeAt(n)->parent) NodeAt(n)->ticks += duration;
    } else if (NodeAt(frame->node)->parent != frame->outer) {
      Displace(location, frame->node, frame->outer, duration);
    }
    location->node = frame->outer;
    EPIK_ORDER();
    --location->top;
    if (logs && EndLog(location)) now = location->last;
  }
  location->last = now;
}

void ExitMismatched(Location* location, Key key, uint64_t now, uint64_t stack) {
  if (IsOverflowMark(location)) {
    // An exit from further out than the last frame there was room for: a longjmp skipped what was above.
    const bool left_behind = stack > FrameAt(location->top)->stack;
    if (!left_behind) {
      if (--location->overflow == 0) PopOverflowMark(location);
      return;
    }
    PopOverflowMark(location);
  }
  // Never the outermost frame: that is closed by the end of the thread alone.
  for (uint32_t i = location->top; i > location->bottom + 1; --i) {
    if (FrameAt(i)->key != key) continue;
    for (uint32_t above = i + 1; above <= location->top; ++above) {
      if (!EndsByItself(FrameAt(above))) ++location->repairs;
    }
    CloseFrames(location, i, now);
    return;
  }
  ++location->unmatched;
}

bool IsLeft(uint64_t stack, uint64_t landing, StackRange handlers) {
  const auto is_handlers = [&handlers](uint64_t at) { return at >= handlers.begin && at < handlers.end; };
  return is_handlers(stack) == is_handlers(landing) ? stack < landing : is_handlers(stack);
}

void CloseLeftBehind(Location* location, uint64_t landing, StackRange left, uint64_t now) {
  uint32_t alive = location->top;
  for (; alive > location->bottom + 1; --alive) {
    // A frame that a handler found unfilled does not say where it is: just below its caller.
    const bool whole = IsWhole(location, alive);
    const uint64_t stack = whole ? FrameAt(alive)->stack + kHookBelowCaller : FrameAt(alive - 1)->stack;
    if (!IsLeft(stack, landing, left)) break;
  }
  ForEachPart<event::Location*, uint64_t, const StackRange&, uint32_t>(&Part::jumped, location, landing, left, alive);
  if (alive == location->top) return;
  for (uint32_t i = alive + 1; i <= location->top; ++i) {
    location->repairs += FrameAt(i)->key != kOverflowKey && IsWhole(location, i) && !event::IsOff(FrameAt(i));
  }
  CloseFrames(location, alive + 1, now);
}

Location* LocationAfterJump(uint64_t landing, StackRange left) {
  if (current != nullptr || cold_stack == 0) return current;
  if (!attached.listed || !IsLeft(cold_stack, landing, left)) return nullptr;
  cold_stack = 0;
  inside = false;
  EPIK_ORDER();
  PutBack(attached.location);
  return current;
}

// FreezeAll unlists first and then clears the slot; here it is the other way round. So either we see that we are not
// listed any more, or the slot is cleared after we set it.
void PutBack(Location* location) {
  current.SetOrdered(location);
  if (!attached.listed.load(std::memory_order_seq_cst)) current = nullptr;
}

Location* Attach(Origin origin, uint64_t now) {
  base::Locked lock(registry_lock);
  if (frozen) return nullptr;
  Location* location = TakeFreeLocation();
  const bool room = thread_limit == 0 || event::Process()->locations < thread_limit;
  if (location == nullptr && room) location = NewLocation();
  if (location == nullptr) return nullptr;
  // A thread that began before the last one in this place ended: the place counts each moment once.
  if (joins_team_as != 0) now = base::Now();
  if (now < location->last) now = location->last;
  location->omp_thread = 0;
  // The place was not there for everybody when it got its frames.
  SetLimit(location, __atomic_load_n(&location->limit, __ATOMIC_RELAXED));
  location->thread_id = static_cast<uint32_t>(syscall(SYS_gettid));
  ++location->threads;
  location->started = now;
  location->last = now;
  if (location->root == 0) location->root = epitome::AddChild(location, 0, RegionKey(event::kProgramRegion));
  location->node = location->root;
  const bool is_main = static_cast<pid_t>(location->thread_id) == getpid();
  if (joins_team_as != 0) {
    // Before its first parallel region there is no idleness, and no call path that it hangs below.
    location->omp_thread = joins_team_as;
    const Key key = RegionKey(event::kIdleRegion);
    PushAt(location, key, ChildOf(location, location->root, key), now, ~uint64_t{0});
  } else if (is_main) {
    PushAt(location, RegionKey(event::kProgramRegion), location->root, now, ~uint64_t{0});
  } else {
    const Key key = RegionKey(event::kThreadRegion);
    PushAt(location, key, ChildOf(location, CopyPath(location, origin.node), key), now, ~uint64_t{0});
  }
  location->state = LocationState::kRunning;
  List(location);
  current = location;
  ForEachPart(&Part::opened, location);
  return location;
}

bool IsAttached() { return attached.listed; }

void RecordVisit(Location* location, Key key, uint64_t begin, uint64_t duration) {
  const uint32_t node = ChildOf(location, location->node, key);
  epitome::Record(NodeAt(node), duration);
  LogVisit(location, node, begin, begin + duration);
}

void Detach(Location* location, uint64_t now) {
  current = nullptr;
  ForEachPart(&Part::closing, location, now);
  for (uint32_t i = location->bottom + 2; i <= location->top; ++i) {
    location->unfinished += !EndsByItself(FrameAt(i));
  }
  CloseFrames(location, location->bottom + 1, now);
  ForEachPart(&Part::closed);
  base::Locked lock(registry_lock);
  location->state = LocationState::kEnded;
  location->next_free = free_locations;
  free_locations = base::LineOf(location);
  Unlist();
}

void DetachThisThread(uint64_t now) {
  if (!attached.listed) return LeaveThisThread();
  Detach(attached.location, now);
}

void LeaveThisThread() {
  current = nullptr;
  ForEachPart(&Part::closed);
  base::Locked lock(registry_lock);
  Unlist();
}

bool HasLocation() { return attached.listed; }

void ForEachLocation(void (*change)(Location*)) {
  base::Locked lock(registry_lock);
  for (const Attached* thread = all_attached; thread != nullptr; thread = thread->next) change(thread->location);
}

void FreezeAll() {
  const base::SignalsBlocked blocked;
  base::Locked lock(registry_lock);
  frozen = true;
  for (Attached* thread = all_attached; thread != nullptr; thread = thread->next) {
    thread->listed.store(false, std::memory_order_seq_cst);
    thread->slot->SetOrdered(nullptr);
  }
  all_attached = nullptr;
}

void ForgetAll() {
  registry_lock.Reset();
  all_attached = nullptr;
  attached.listed = false;
  current = nullptr;
  inside = false;
  cold_stack = 0;
  location_chunk = 0;
  free_locations = 0;
  frozen = false;
  ForgetNumbers();
}

}  // namespace epik::episode
