// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/monitor/pending_waits.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

namespace epik::episode {

using event::CollectiveEvent;
using event::CollectiveRole;

namespace {

// How many parts of others a call needs; 0: it waits for nobody.
uint32_t PartsNeeded(const CollectiveEvent& event, CollectiveRole role, const Membership& members, bool is_root) {
  const uint32_t others = members.size == 0 ? 0 : members.size - 1;
  switch (role) {
    case CollectiveRole::kBarrier:
    case CollectiveRole::kFinalize: return others;
    case CollectiveRole::kAllToAll: return event::Gets(event) ? others : 0;
    case CollectiveRole::kOneToAll: return !is_root && event::Gets(event) ? 1 : 0;
    case CollectiveRole::kAllToOne: return is_root ? others : 0;
    case CollectiveRole::kScan: return static_cast<uint32_t>(std::max(members.rank, 0));
    case CollectiveRole::kNone: break;
  }
  return 0;
}

}  // namespace

PendingWaits* PendingWaits::Make(uint64_t capacity) {
  const uint64_t wants = (sizeof(PendingWaits) + 63) & ~uint64_t{63};
  const uint64_t index = wants + capacity * sizeof(Want);
  const uint64_t bytes = index + 2 * capacity * sizeof(uint32_t);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* pending = new (memory) PendingWaits;
  pending->capacity_ = capacity;
  pending->bytes_ = bytes;
  pending->wants_ = reinterpret_cast<Want*>(static_cast<char*>(memory) + wants);
  pending->index_ = reinterpret_cast<uint32_t*>(static_cast<char*>(memory) + index);
  return pending;
}

void PendingWaits::Destroy() { munmap(this, bytes_); }

uint64_t PendingWaits::SlotOf(uint32_t communicator, uint32_t sequence) const {
  const uint64_t key = uint64_t{communicator} << 32 | sequence;
  return (key * 0x9e3779b97f4a7c15u >> 20) & (2 * capacity_ - 1);
}

void PendingWaits::Begin(uint64_t number, const CollectiveEvent& event, CollectiveRole role, const Membership& members,
                         WaitSink* sink) {
  begun_ = number + 1;
  Want* want = &wants_[number & (capacity_ - 1)];
  if (want->missing != 0) {
    sink->Unknown(want->node);
    --unsettled_;
  }
  want->missing = 0;
  const int32_t root = event::RootOf(event);
  const bool rooted = role == CollectiveRole::kOneToAll || role == CollectiveRole::kAllToOne;
  if (role == CollectiveRole::kNone) return;
  // Of two groups, or of a root in another job, the members are not known well enough.
  if (members.is_inter || (rooted && root < 0)) return sink->Unknown(event.node);
  const bool is_root = rooted && root == event::Process()->rank;
  const uint32_t needed = PartsNeeded(event, role, members, is_root);
  if (needed == 0) return;
  if (!members.whole && role != CollectiveRole::kOneToAll) return sink->Unknown(event.node);
  *want = {.entered = event.entered,
           .left = event::IsBack(event) ? event.left : ~uint64_t{0},
           .ready = 0,
           .node = event.node,
           .communicator = event.communicator,
           .sequence = event.sequence,
           .missing = needed,
           .root = root,
           .rank = members.rank,
           .role = role,
           .any = false};
  ++unsettled_;
}

void PendingWaits::Index() {
  std::memset(index_, 0, 2 * capacity_ * sizeof(uint32_t));
  const uint64_t first = begun_ > capacity_ ? begun_ - capacity_ : 0;
  for (uint64_t n = first; n < begun_; ++n) {
    const uint64_t place = n & (capacity_ - 1);
    const Want& want = wants_[place];
    if (want.missing == 0) continue;
    uint64_t slot = SlotOf(want.communicator, want.sequence);
    while (index_[slot] != 0) slot = (slot + 1) & (2 * capacity_ - 1);
    index_[slot] = static_cast<uint32_t>(place + 1);
  }
}

PendingWaits::Want* PendingWaits::Find(uint32_t communicator, uint32_t sequence, uint64_t guess) {
  const auto is_it = [&](const Want& want) {
    return want.communicator == communicator && want.sequence == sequence && want.missing != 0;
  };
  Want* likely = &wants_[guess & (capacity_ - 1)];
  if (is_it(*likely)) return likely;
  for (uint64_t slot = SlotOf(communicator, sequence); index_[slot] != 0; slot = (slot + 1) & (2 * capacity_ - 1)) {
    Want* want = &wants_[index_[slot] - 1];
    if (is_it(*want)) return want;
  }
  return nullptr;
}

bool PendingWaits::Needs(const Want& want, int32_t world, int32_t rank) const {
  switch (want.role) {
    case CollectiveRole::kOneToAll: return world == want.root;
    case CollectiveRole::kScan: return rank < want.rank;
    default: return true;
  }
}

void PendingWaits::Meet(uint32_t communicator, const CollectiveEvent& part, int32_t world, int32_t rank,
                        uint64_t* guess, WaitSink* sink) {
  Want* want = Find(communicator, part.sequence, *guess);
  if (want == nullptr) return;
  *guess = static_cast<uint64_t>(want - wants_) + 1;
  if (!Needs(*want, world, rank)) return;
  const bool with_data = want->role == CollectiveRole::kAllToAll || want->role == CollectiveRole::kAllToOne;
  if (!with_data || event::Gives(part)) {
    const bool first_counts = want->role == CollectiveRole::kAllToOne;
    if (!want->any || (first_counts ? part.entered < want->ready : part.entered > want->ready)) {
      want->ready = part.entered;
    }
    want->any = true;
  }
  if (--want->missing == 0) Settle(want, sink);
}

void PendingWaits::Settle(Want* want, WaitSink* sink) {
  --unsettled_;
  const uint64_t until = std::min(want->ready, want->left);
  if (want->any && until > want->entered) sink->Waited(want->node, until - want->entered);
}

void PendingWaits::GiveUp(WaitSink* sink) {
  for (uint64_t place = 0; place < capacity_; ++place) {
    if (wants_[place].missing == 0) continue;
    sink->Unknown(wants_[place].node);
    wants_[place].missing = 0;
  }
  unsettled_ = 0;
}

}  // namespace epik::episode
