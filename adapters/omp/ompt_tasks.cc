// SPDX-License-Identifier: BSD-3-Clause
#include "adapters/omp/ompt_tasks.h"

#include <sys/mman.h>

#include <atomic>

#include "adapters/omp/gomp.h"
#include "runtime/episode/definitions.h"
#include "runtime/episode/location.h"
#include "runtime/teams/task_parts.h"
#include "runtime/teams/team_log.h"

namespace epik::ompt {

EPIK_PER_THREAD base::PerThread<LeftOpen> left_open;

namespace {

constexpr uint32_t kPerBlock = 4096;
constexpr uint32_t kMostBlocks = 1024;

// Needs no lock, because a forked child might find it held for ever. Blocks never move.
struct Places {
  std::atomic<Parts*> blocks[kMostBlocks];
  std::atomic<uint32_t> made;
  // The first free place, as its index plus one. The upper bits count its changes, so that a place that was taken and
  // given back meanwhile is not mistaken for the old first one.
  std::atomic<uint64_t> free;
};
constinit Places places{};

Parts* PlaceAt(uint32_t index) {
  return &places.blocks[index / kPerBlock].load(std::memory_order_acquire)[index % kPerBlock];
}

uint64_t Changed(uint64_t head, uint32_t first) { return ((head >> 32) + 1) << 32 | first; }

bool MakeBlock(std::atomic<Parts*>* block) {
  if (block->load(std::memory_order_acquire) != nullptr) return true;
  void* made = mmap(nullptr, kPerBlock * sizeof(Parts), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (made == MAP_FAILED) return false;
  Parts* none = nullptr;
  if (!block->compare_exchange_strong(none, static_cast<Parts*>(made))) munmap(made, kPerBlock * sizeof(Parts));
  return true;
}

// Index plus one; 0: there is no room.
uint32_t TakePlace() {
  uint64_t head = places.free.load(std::memory_order_acquire);
  while (const auto first = static_cast<uint32_t>(head)) {
    const uint32_t next = std::atomic_ref<uint32_t>(PlaceAt(first - 1)->next_free).load(std::memory_order_relaxed);
    if (places.free.compare_exchange_weak(head, Changed(head, next), std::memory_order_acquire)) return first;
  }
  if (places.made.load(std::memory_order_relaxed) >= kPerBlock * kMostBlocks) return 0;
  const uint32_t index = places.made.fetch_add(1, std::memory_order_relaxed);
  if (index >= kPerBlock * kMostBlocks) return 0;
  return MakeBlock(&places.blocks[index / kPerBlock]) ? index + 1 : 0;
}

void GivePlaceBack(uint32_t place) {
  std::atomic_ref<uint32_t> next(PlaceAt(place - 1)->next_free);
  uint64_t head = places.free.load(std::memory_order_relaxed);
  do {
    next.store(static_cast<uint32_t>(head), std::memory_order_relaxed);
  } while (!places.free.compare_exchange_weak(head, Changed(head, place), std::memory_order_release));
}

void TellOfNoRoom() {
  static std::atomic<bool> said{false};
  if (said.exchange(true, std::memory_order_relaxed)) return;
  const episode::Inside guard;
  episode::Note(
      "more than 4194304 untied tasks of OpenMP had been given up at once: each part of a further one counts as a "
      "visit");
}

uint32_t PlaceOf(const Data* task) { return static_cast<uint32_t>(task->value >> kLocationShift); }

}  // namespace

Parts* PartsOf(const Data* task) { return PlaceAt(PlaceOf(task) - 1); }

uint64_t NumberOf(const Data* task) {
  if (HasParts(task)) return PartsOf(task)->number;
  const uint64_t word = task->value;
  return (word >> kLocationShift & ((1 << kLocationBits) - 1)) << teams::kTaskShift | word >> kCountShift;
}

void LeaveTask(Data* task, uint64_t next) {
  const uint32_t node = NodeOf(task);
  const event::Key key = teams::KeyOfTask(node);
  if (!HasParts(task)) {
    const uint64_t number = NumberOf(task);
    const uint32_t place = TakePlace();
    if (place == 0) {  // no room: each part is a visit
      TellOfNoRoom();
      task->value &= ~kOpen;
      return teams::ExitElsewhere(node, key, teams::kOnNoStack);
    }
    *PlaceAt(place - 1) = {.node = node, .next_free = 0, .number = number, .ticks = 0};
    task->value = uint64_t{place} << kLocationShift;
  }
  task->value &= ~kOpen;
  // Another thread may have the task and its place as soon as libomp has the task back.
  PartsOf(task)->ticks += teams::TicksOfPart(key);
  *left_open = {.key = key, .next = next};
  if (omp::Innermost() == key) CloseLeft();
}

void CloseLeft() {
  const LeftOpen left = *left_open;
  *left_open = {};
  if (episode::current == nullptr) return;
  teams::ExitPart(left.key);
  if (teams::LogsRecords()) teams::LogTask(event::RecordKind::kTaskSwitch, left.next);
}

void EndTaskOfParts(Data* task) {
  const Parts parts = *PartsOf(task);
  GivePlaceBack(PlaceOf(task));
  task->value = WordOfTask(parts.node, parts.number);  // its event may be fulfilled later
  teams::ExitLastPart(teams::KeyOfTask(parts.node), parts.ticks);
}

}  // namespace epik::ompt
