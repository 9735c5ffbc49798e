// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/location.h"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>

#include "runtime/base/spinlock.h"
#include "runtime/base/system_call.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/numbers.h"
#include "runtime/episode/part.h"
#include "runtime/episode/paths.h"
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

uint32_t thread_limit = 0;
__thread unsigned pauses __attribute__((tls_model("initial-exec"))) = 0;
EPIK_PER_THREAD base::PerThread<uint32_t> paused_at;
EPIK_PER_THREAD base::PerThread<uint64_t> cold_stack;
EPIK_PER_THREAD base::PerThread<uint32_t> joins_team_as;

namespace {

constexpr uint32_t kLocationLines = sizeof(Location) / base::kLineBytes;
// All locations of the process.
struct Registry {
  base::SpinLock lock;
  uint32_t location_chunk = 0;
  uint32_t free_locations = 0;  // line of the first whose thread has ended
  bool frozen = false;          // no location is given out any more
  std::atomic<int> leaving{0};  // threads that are closing what they have open
  struct Attached* attached = nullptr;
};
constinit Registry registry;

// Every thread that has a location, so that it can be taken away. A thread leaves the list before its memory goes.
// Under the registry's lock, but for `listed`, which the thread itself looks at whenever it likes.
struct Attached {
  ThreadSlot* slot;
  Location* location;
  Attached* next;
  Attached* previous;
  std::atomic<bool> listed;
};
EPIK_PER_THREAD base::PerThread<Attached> attached;

void List(Location* location) {
  attached->slot = &current;
  attached->location = location;
  attached->previous = nullptr;
  attached->next = registry.attached;
  if (registry.attached != nullptr) registry.attached->previous = &*attached;
  registry.attached = &*attached;
  attached->listed = true;
  base::KeepThreadMemory(true);
}

// This thread is one of `leaving`.
EPIK_PER_THREAD base::PerThread<bool> is_leaving;

// Waits for threads that are closing their frames: a frame that is half closed would be counted twice, by its thread
// and as a frame that was open at the end. Does not wait for a thread that never gets a processor again.
void AwaitLeaving() {
  constexpr int kMostSteps = 2000;
  constexpr timespec kStep = {.tv_sec = 0, .tv_nsec = 500'000};
  const int saved_errno = errno;
  const int own = *is_leaving ? 1 : 0;  // a handler that ends the process may have interrupted us in here
  for (int i = 0; i < kMostSteps && registry.leaving.load(std::memory_order_acquire) > own; ++i) {
    nanosleep(&kStep, nullptr);
  }
  errno = saved_errno;
}

void Unlist() {
  if (!attached->listed) return;
  if (attached->next != nullptr) attached->next->previous = attached->previous;
  (attached->previous != nullptr ? attached->previous->next : registry.attached) = attached->next;
  attached->listed = false;
  base::KeepThreadMemory(false);
}

Location* NewLocation() {
  ChunkHeader* chunk = LineAt<ChunkHeader>(registry.location_chunk);
  if (registry.location_chunk == 0 || 1 + (chunk->used + 1) * kLocationLines > chunk->lines) {
    const uint32_t next = Arena::Allocate(ChunkKind::kLocation, 0, base::kChunkLines);
    if (next == 0) return nullptr;
    uint32_t& link = registry.location_chunk != 0 ? chunk->next : event::Process()->first_locations;
    __atomic_store_n(&link, next, __ATOMIC_RELEASE);
    registry.location_chunk = next;
    chunk = LineAt<ChunkHeader>(next);
  }
  auto* location = LineAt<Location>(registry.location_chunk + 1 + chunk->used * kLocationLines);
  const uint32_t frames = AllocateFrames(location);
  if (frames == 0 || !epitome::OpenLocation(location)) return nullptr;
  UseFrames(location, frames);
  std::atomic_ref<uint32_t>(event::Process()->locations).fetch_add(1, std::memory_order_relaxed);
  location->number = TakeNumber(*joins_team_as != 0 ? *joins_team_as - 1 : 0);
  std::atomic_ref<uint32_t>(chunk->used).fetch_add(1, std::memory_order_release);
  return location;
}

Location* TakeFreeLocation() {
  if (registry.free_locations == 0) return nullptr;
  auto* location = LineAt<Location>(registry.free_locations);
  registry.free_locations = location->next_free;
  return location;
}

}  // namespace

bool IsLeft(uint64_t stack, uint64_t landing, StackRange handlers) {
  const auto is_handlers = [&handlers](uint64_t at) { return at >= handlers.begin && at < handlers.end; };
  return is_handlers(stack) == is_handlers(landing) ? stack < landing : is_handlers(stack);
}

void CloseLeftBehind(Location* location, uint64_t landing, StackRange left, uint64_t now) {
  if (IsUnusual()) fibers::FollowStack(location, landing, /*enters=*/false);
  const uint32_t below = fibers::FramesBelowStack(location);
  uint32_t alive = location->top;
  for (; alive > location->bottom + (below != 0 ? below : 1); --alive) {
    // A frame that a handler found unfilled does not say where it is: just below its caller.
    const bool whole = IsWhole(location, alive);
    const uint64_t stack = whole ? FrameAt(alive)->stack + kHookBelowCaller : FrameAt(alive - 1)->stack;
    if (!IsLeft(stack, landing, left)) break;
  }
  ForEachPart<event::Location*, uint64_t, const StackRange&, uint32_t>(&Part::jumped, location, landing, left, alive);
  // The exit that a handler interrupted never goes on: later exits need not take it into account.
  if (location->exchanging > alive) location->exchanging = 0;
  if (alive == location->top) return;
  for (uint32_t i = alive + 1; i <= location->top; ++i) {
    location->repairs += FrameAt(i)->key != kOverflowKey && IsWhole(location, i) && !event::IsOff(FrameAt(i));
  }
  CloseFrames(location, alive + 1, now);
}

Location* LocationAfterJump(uint64_t landing, StackRange left) {
  const bool is_cold = *cold_stack != 0;
  if (!attached->listed || (current == nullptr && !is_cold)) return current;
  if (is_cold && !IsLeft(*cold_stack, landing, left)) return current;
  *cold_stack = 0;
  inside = false;
  EPIK_ORDER();
  if (current == nullptr) PutBack(attached->location);
  return current;
}

// FreezeAll unlists first and then clears the slot; here it is the other way round. So either we see that we are not
// listed any more, or the slot is cleared after we set it.
void PutBack(Location* location) {
  current.SetOrdered(location);
  if (!attached->listed.load(std::memory_order_seq_cst)) current = nullptr;
}

Location* Attach(Origin origin, uint64_t now) {
  base::Locked lock(registry.lock);
  if (registry.frozen || attached->listed || !base::HasOwnThreadMemory()) return nullptr;
  Location* location = TakeFreeLocation();
  const bool room = thread_limit == 0 || event::Process()->locations < thread_limit;
  if (location == nullptr && room) location = NewLocation();
  if (location == nullptr) return nullptr;
  // The thread may have begun before the location's last thread ended; the location counts each moment only once.
  if (*joins_team_as != 0) now = base::Now();
  if (now < location->last) now = location->last;
  location->omp_thread = 0;
  location->exchanging = 0;  // the thread before may have been cancelled in the middle of an exit
  // Requests from outside did not see the location when it got its frames.
  GiveFrames(location, __atomic_load_n(&location->limit, __ATOMIC_RELAXED));
  location->thread_id = static_cast<uint32_t>(base::SystemCall(SYS_gettid));
  ++location->threads;
  location->started = now;
  location->last = now;
  if (location->root == 0) location->root = epitome::AddChild(location, 0, RegionKey(event::kProgramRegion));
  location->node = location->root;
  const bool is_main = static_cast<pid_t>(location->thread_id) == getpid();
  if (*joins_team_as != 0) {
    // Before its first parallel region the thread is not idle, and hangs below no call path.
    location->omp_thread = *joins_team_as;
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

bool IsAttached() { return attached->listed; }

void RecordVisit(Location* location, Key key, uint64_t begin, uint64_t duration) {
  const uint32_t node = ChildOf(location, location->node, key);
  epitome::Record(NodeAt(node), duration);
  epilog::LogVisit(location, node, begin, begin + duration);
}

void Detach(Location* location, uint64_t now) {
  current = nullptr;
  {
    // The reader of the arena closes the frames that the thread has open. We must not close them, too.
    base::Locked lock(registry.lock);
    if (registry.frozen) return Unlist();
    ++registry.leaving;
    *is_leaving = true;
  }
  ForEachPart(&Part::closing, location, now);
  for (uint32_t i = location->bottom + 2; i <= location->top; ++i) {
    location->unfinished += !EndsByItself(FrameAt(i));
  }
  CloseFrames(location, location->bottom + 1, now);
  ForEachPart(&Part::closed);
  base::Locked lock(registry.lock);
  location->state = LocationState::kEnded;
  location->next_free = registry.free_locations;
  registry.free_locations = base::LineOf(location);
  Unlist();
  *is_leaving = false;
  --registry.leaving;
}

void DetachThisThread(uint64_t now) {
  if (!attached->listed) return LeaveThisThread();
  Detach(attached->location, now);
}

void LeaveThisThread() {
  current = nullptr;
  ForEachPart(&Part::closed);
  base::Locked lock(registry.lock);
  Unlist();
}

bool HasLocation() { return attached->listed; }

void ForEachLocation(void (*change)(Location*)) {
  base::Locked lock(registry.lock);
  for (const Attached* thread = registry.attached; thread != nullptr; thread = thread->next) change(thread->location);
}

void FreezeAll() {
  const base::SignalsBlocked blocked;
  {
    base::Locked lock(registry.lock);
    registry.frozen = true;
    for (Attached* thread = registry.attached; thread != nullptr; thread = thread->next) {
      thread->listed.store(false, std::memory_order_seq_cst);
      thread->slot->SetOrdered(nullptr);
    }
    registry.attached = nullptr;
  }
  AwaitLeaving();
}

void ForgetAll() {
  registry.lock.Reset();
  registry.attached = nullptr;
  attached->listed = false;
  current = nullptr;
  inside = false;
  *cold_stack = 0;
  registry.location_chunk = 0;
  registry.free_locations = 0;
  registry.frozen = false;
  registry.leaving = 0;
  *is_leaving = false;
  ForgetNumbers();
}

}  // namespace epik::episode
