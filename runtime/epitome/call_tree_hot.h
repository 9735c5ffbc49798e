// SPDX-License-Identifier: BSD-3-Clause
// The summary of one location while the program runs: finds the call path of a call, and adds the call to it.
//
// The child taken last is compared first. The others are in a hash table of their parent, so that a node with hundreds
// of children is as fast as one with two. Tables are private memory: readers follow Node::parent.
#ifndef EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_
#define EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/epitome/record_hot.h"
#include "runtime/event/layout.h"

namespace epik::epitome {

using event::Key;
using event::Location;
using event::Node;
using event::NodeAt;
using event::PendingVisit;

// In a large tree, nodes are far away in memory. So the number of a child comes with a mark, some bits of its key's
// hash. Only a node whose mark fits is read, and a node found by the many bits of a table is not read before the call
// ends (RecordLater).
inline constexpr unsigned kNodeBits = 27;
inline constexpr uint32_t kLargestNode = (1u << kNodeBits) - 1;
EPIK_HOT uint32_t ShortMark(Key key) { return static_cast<uint32_t>(key) * 0x9e3779b1u & ~kLargestNode; }

// 32 bits name a table: line of 8 slots << 5 | log2 of the slots. Zero: no table.
extern EPIK_HIDDEN uint64_t* tables_base;
// Cleared once a mark may be ambiguous: a module was unmapped, or two keys were found to have the same mark.
extern EPIK_HIDDEN bool marks_are_trusted;

EPIK_HOT uint64_t* TableSlots(uint32_t table) { return tables_base + (uint64_t{table >> 5} << 3); }
EPIK_HOT uint64_t TableHash(Key key) { return key * 0x9e3779b97f4a7c15u; }
EPIK_HOT uint64_t FirstSlot(uint64_t hash, unsigned bits) { return hash >> (-bits & 63); }  // 64 - bits
EPIK_HOT uint64_t LongMark(uint64_t hash) { return hash & ~uint64_t{kLargestNode}; }

// Whether a slot names the child of this key.
EPIK_HOT bool IsSlotOf(uint64_t slot, uint64_t hash, Key key) {
  const uint64_t child = slot ^ LongMark(hash);
  return child <= kLargestNode && (EPIK_LIKELY(base::ReadShared(&marks_are_trusted)) || NodeAt(child)->key == key);
}
EPIK_HOT uint32_t ChildOfSlot(uint64_t slot) { return static_cast<uint32_t>(slot) & kLargestNode; }

// The child in the slot where the search in the parent's table begins, or 0. Most children are there.
EPIK_HOT uint32_t ChildAtOnce(const Node* parent, Key key) {
  const uint32_t table = parent->table;
  const uint64_t hash = TableHash(key);
  if (EPIK_UNLIKELY(table == 0)) return 0;
  const uint64_t slot = TableSlots(table)[FirstSlot(hash, table & 31)];
  return EPIK_LIKELY(IsSlotOf(slot, hash, key)) ? ChildOfSlot(slot) : 0;
}

// The child in the parent's table, or 0.
EPIK_HOT uint32_t FindChild(const Node* parent, Key key) {
  const uint32_t table = parent->table;
  if (EPIK_UNLIKELY(table == 0)) return 0;
  const unsigned bits = table & 31;
  const uint64_t* slots = TableSlots(table);
  const uint64_t hash = TableHash(key);
  for (uint64_t i = FirstSlot(hash, bits);; i = (i + 1) & ((uint64_t{1} << bits) - 1)) {
    const uint64_t slot = slots[i];
    if (EPIK_UNLIKELY(slot == 0)) return 0;
    if (IsSlotOf(slot, hash, key)) return ChildOfSlot(slot);
  }
}

// The child that was entered last if it has this key, or 0.
EPIK_HOT uint32_t LastChild(const Node* parent, Key key) {
  const uint32_t child = parent->last ^ ShortMark(key);
  if (child > kLargestNode || NodeAt(child)->key != key) return 0;
  if (child == 0) __builtin_unreachable();  // line 0 begins the arena, and its first word is no key
  return child;
}

// The child that was entered last, or the child in the table, or 0.
EPIK_HOT uint32_t KnownChild(const Node* parent, Key key) {
  const uint32_t last = LastChild(parent, key);
  return last != 0 ? last : FindChild(parent, key);
}

EPIK_HOT void SetLast(Node* parent, uint32_t child, Key key) { parent->last = child | ShortMark(key); }

// The nodes and tables of this many call paths fit into a core's own caches.
inline constexpr uint32_t kNearPaths = 2048;
EPIK_HOT bool IsLarge(const Location* location) { return location->paths > kNearPaths; }

// In a large tree, a visit is added to its node some calls later. The node is prefetched when the call begins, so by
// then it is in the cache and no call has waited for it. Takes the visit that has just ended and returns the visit that
// is due. False in a handler that interrupted an exchange: the handler's own visit is due at once. Each visit is due
// exactly once, in any order.
EPIK_HOT bool ExchangeVisit(Location* location, const event::Frame* frame, uint64_t* node, Key* key, uint64_t* ticks) {
  if (EPIK_UNLIKELY(location->exchanging != 0)) return false;
  location->exchanging = location->top;
  EPIK_ORDER();
  const uint32_t at = location->next_pending;
  location->next_pending = (at + 1) % event::kPendingVisits;
  PendingVisit* pending = &location->pending[at];
  // Word by word, so that few registers are in use at once.
  const uint64_t due_ticks = pending->ticks;
  pending->ticks = *ticks;
  EPIK_ORDER();
  const uint64_t due_node = pending->node;
  pending->node = frame->node;
  EPIK_ORDER();
  const Key due_key = pending->key;
  pending->key = frame->key;
  EPIK_ORDER();
  location->exchanging = 0;
  EPIK_ORDER();
  *node = due_node;
  *key = due_key;
  *ticks = due_ticks;
  return true;
}

// Gives a new location its sink. False: no memory, so the location cannot be used.
bool OpenLocation(Location* location);

// Makes the child that FindChild did not find. Returns the location's sink when there is no room for it.
// REQUIRES: the caller's thread owns the location and is not inside this function already (a signal handler).
EPIK_COLD uint32_t AddChild(Location* location, uint32_t parent, Key key);

// Reserves the private memory of the tables for an arena of `bytes`. False: no memory.
bool OpenTables(uint64_t arena_bytes);
void CloseTables();

// Call paths kept for each location; the rest share the sink. 0: as many as fit.
extern uint32_t path_limit;

}  // namespace epik::epitome

#endif  // EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_
