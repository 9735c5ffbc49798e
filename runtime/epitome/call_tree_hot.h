// SPDX-License-Identifier: BSD-3-Clause
// The summary of one location while the program runs: which call path a call belongs to, and what it adds there.
//
// The child taken last is compared first; the others are found in a hash table each parent has for itself, so that a
// node with hundreds of children is as quick as one with two. Tables are private memory: readers follow Node::parent.
#ifndef EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_
#define EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_

#include "runtime/base/compiler.h"
#include "runtime/event/layout.h"

namespace epik::epitome {

using event::Key;
using event::Location;
using event::Node;
using event::NodeAt;

// Tables are named by 32 bits: line of 16 slots << 5 | log2 of the slots. Zero: there is none.
extern uint32_t* tables_base;

EPIK_HOT uint32_t* TableSlots(uint32_t table) { return tables_base + (uint64_t{table >> 5} << 4); }
EPIK_HOT uint64_t TableHash(Key key, unsigned bits) { return (key * 0x9e3779b97f4a7c15u) >> (64 - bits); }

// The child in the parent's table, or 0.
EPIK_HOT uint32_t FindChild(const Node* parent, Key key) {
  const uint32_t table = parent->table;
  if (EPIK_UNLIKELY(table == 0)) return 0;
  const unsigned bits = table & 31;
  const uint32_t* slots = TableSlots(table);
  for (uint64_t i = TableHash(key, bits);; i = (i + 1) & ((uint64_t{1} << bits) - 1)) {
    const uint32_t child = slots[i];
    if (EPIK_UNLIKELY(child == 0) || EPIK_LIKELY(NodeAt(child)->key == key)) return child;
  }
}

// One completed visit.
EPIK_HOT void Record(Node* node, uint64_t duration) {
  ++node->visits;
  node->ticks += duration;
  if (duration < node->min) node->min = duration;
  if (duration > node->max) node->max = duration;
  const double d = static_cast<double>(static_cast<int64_t>(duration));
  node->squares += d * d;
}

// Gives a new location its sink. False: no memory, and so no location.
bool OpenLocation(Location* location);

// Makes the child that FindChild did not find. Returns the location's sink when there is no room for it.
// REQUIRES: the caller's thread owns the location and is not inside this function already (a signal handler).
EPIK_COLD uint32_t AddChild(Location* location, uint32_t parent, Key key);

// Prepares the private memory of the tables for an arena of `bytes`. False: none to be had.
bool OpenTables(uint64_t arena_bytes);
void CloseTables();

// Call paths kept for each location; the rest share the sink. 0: as many as fit.
extern uint32_t path_limit;

}  // namespace epik::epitome

#endif  // EPIK_RUNTIME_EPITOME_CALL_TREE_HOT_H_
