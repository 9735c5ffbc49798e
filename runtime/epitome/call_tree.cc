// SPDX-License-Identifier: BSD-3-Clause
#include <sys/mman.h>

#include <atomic>
#include <cerrno>

#include "runtime/epitome/call_tree_hot.h"
#include "runtime/epitome/folding.h"

namespace epik::epitome {

using base::Arena;
using base::ChunkHeader;
using base::ChunkKind;
using base::LineAt;

uint64_t* tables_base = nullptr;
bool marks_are_trusted = true;
uint32_t path_limit = 0;

namespace {

constexpr unsigned kSmallestTableBits = 3;
constexpr uint32_t kFirstNodeLines = 512;
constexpr uint32_t kNextNodeLines = 4096;
constexpr uint64_t kSlotsPerLine = 8;
// Beside its line, a node needs up to 240 bytes when the measurement ends, for its values and its call path in the
// archive. EPK_MEMORY bounds them, too.
constexpr uint32_t kLinesAtTheEnd = 4;
constexpr uint32_t kNodesSetAside = 32;   // at once
constexpr uint64_t kPopulateLines = 256;  // 16 KiB at a time, because first-touch faults cost most

uint64_t tables_lines = 0;
std::atomic<uint64_t> tables_used{1};
std::atomic<uint64_t> tables_populated{0};

// A cleared table, or 0 when the reservation is used up.
uint32_t MakeTable(unsigned bits) {
  const uint64_t lines = (uint64_t{1} << bits) / kSlotsPerLine;
  if (!Arena::SetAside(static_cast<uint32_t>(lines))) return 0;
  const uint64_t line = tables_used.fetch_add(lines);
  const uint64_t end = line + lines;
  if (end > tables_lines || end >= (uint64_t{1} << 27)) return 0;
  uint64_t populated = tables_populated.load(std::memory_order_relaxed);
  while (populated < end) {
    const uint64_t next = (end + kPopulateLines - 1) / kPopulateLines * kPopulateLines;
    const uint64_t upto = next < tables_lines ? next : tables_lines;
    if (!tables_populated.compare_exchange_weak(populated, upto)) continue;
    const int saved_errno = errno;
    base::Populate(tables_base + populated * kSlotsPerLine, (upto - populated) * base::kLineBytes);
    errno = saved_errno;
    break;
  }
  return static_cast<uint32_t>(line << 5 | bits);
}

// Reads no node: the mark in a slot has as many bits of the hash as the largest table needs.
void InsertSlot(uint32_t table, uint64_t slot) {
  const unsigned bits = table & 31;
  uint64_t* slots = TableSlots(table);
  uint64_t i = FirstSlot(slot, bits);
  while (slots[i] != 0) i = (i + 1) & ((uint64_t{1} << bits) - 1);
  slots[i] = slot;
}

void Insert(uint32_t table, uint32_t child) { InsertSlot(table, LongMark(TableHash(NodeAt(child)->key)) | child); }

uint32_t ChildrenOf(const Node* node) { return node->children & ~event::kFolded; }

// Room for one more child in the parent's table. The new table is complete before it is named, so that a lookup from
// a signal handler finds either the old or the new one.
bool MakeRoom(Node* parent) {
  if (parent->table == 0) {
    const uint32_t table = MakeTable(kSmallestTableBits);
    if (table == 0) return false;
    Insert(table, parent->last & kLargestNode);
    EPIK_ORDER();
    parent->table = table;
    return true;
  }
  const unsigned bits = parent->table & 31;
  if (uint64_t{ChildrenOf(parent)} * 4 < (uint64_t{1} << bits) * 3) return true;
  const uint32_t table = MakeTable(bits + 1);
  if (table == 0) return uint64_t{ChildrenOf(parent)} + 1 < uint64_t{1} << bits;  // fuller, but still correct
  const uint64_t* slots = TableSlots(parent->table);
  for (uint64_t i = 0; i < uint64_t{1} << bits; ++i) {
    if (slots[i] != 0) InsertSlot(table, slots[i]);
  }
  EPIK_ORDER();
  parent->table = table;
  return true;
}

// A cleared line for a node of this location, or 0.
uint32_t TakeNodeLine(Location* location) {
  ChunkHeader* chunk = LineAt<ChunkHeader>(location->nodes);
  if (location->nodes == 0 || chunk->used + 1 == chunk->lines) {
    // Few threads need more than the first chunk; those that do need many more.
    const uint32_t lines = location->nodes == 0 ? kFirstNodeLines : kNextNodeLines;
    const uint32_t next = Arena::Allocate(ChunkKind::kNodes, base::LineOf(location), lines);
    if (next == 0 || next + lines > kLargestNode) return 0;
    location->nodes = next;
    chunk = LineAt<ChunkHeader>(next);
  }
  if (chunk->used % kNodesSetAside == 0 && !Arena::SetAside(kNodesSetAside * kLinesAtTheEnd)) return 0;
  return location->nodes + 1 + chunk->used;
}

uint32_t MakeNode(Location* location, uint32_t parent, Key key, uint32_t bits = 0) {
  const uint32_t line = TakeNodeLine(location);
  if (line == 0) return 0;
  Node* node = NodeAt(line);
  node->key = key;
  node->min = event::HoldsCounters(key) ? 0 : ~uint64_t{0};
  node->parent = parent;
  node->children = bits;
  // release: a reader that sees the node counted sees all of it
  std::atomic_ref<uint32_t>(LineAt<ChunkHeader>(location->nodes)->used).fetch_add(1, std::memory_order_release);
  if (!event::HoldsCounters(key)) ++location->paths;
  return line;
}

}  // namespace

bool OpenLocation(Location* location) {
  location->sink = MakeNode(location, 0, 0);
  return location->sink != 0;
}

namespace {

// The parent has room for it.
void Link(Node* above, uint32_t child, Key key) {
  if (above->table != 0) Insert(above->table, child);
  ++above->children;
  SetLast(above, child, key);
}

// A folded node finds the children of the node that it belongs to.
uint32_t AddBelowFolded(Location* location, Node* folded, uint32_t target, Key key) {
  uint32_t child = KnownChild(NodeAt(target), key);
  if (child == 0) child = AddChild(location, target, key);
  if (child == location->sink) return child;
  if (ChildrenOf(folded) == 0 || MakeRoom(folded)) Link(folded, child, key);
  return child;
}

}  // namespace

uint32_t AddChild(Location* location, uint32_t parent, Key key) {
  if (parent == location->sink) return parent;  // calls below the sink stay below the sink
  if (parent != 0 && event::IsFolded(*NodeAt(parent)) && !event::IsMetric(key)) {
    const uint32_t target = FoldedInto(parent);
    if (target != 0) return AddBelowFolded(location, NodeAt(parent), target, key);
  }
  // The sink itself counts as a call path, a node of counters does not.
  const bool is_path = !event::HoldsCounters(key) && key != event::RegionKey(event::kDisplacedMetric);
  if (path_limit != 0 && location->paths > path_limit && is_path) return location->sink;
  if (parent == 0) {
    const uint32_t root = MakeNode(location, 0, key);
    return root != 0 ? root : location->sink;
  }
  Node* above = NodeAt(parent);
  if (ChildrenOf(above) != 0 && !MakeRoom(above)) return location->sink;
  const uint32_t bits = IsToBeFolded(location, parent, key) ? event::kFolded : 0;
  const uint32_t child = MakeNode(location, parent, key, bits);
  if (child == 0) return location->sink;
  Link(above, child, key);
  return child;
}

bool OpenTables(uint64_t arena_bytes) {
  for (uint64_t bytes = arena_bytes; bytes >= (1u << 20); bytes /= 2) {
    void* start = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED) continue;
    madvise(start, bytes, MADV_DONTDUMP);
    constexpr uint64_t kHugePage = 2u << 20;  // from the second on: few programs get there
    const uint64_t next = kHugePage - reinterpret_cast<uint64_t>(start) % kHugePage;
    if (bytes > next + kHugePage) madvise(static_cast<char*>(start) + next, bytes - next, MADV_HUGEPAGE);
    tables_base = static_cast<uint64_t*>(start);
    tables_lines = bytes / base::kLineBytes;
    marks_are_trusted = true;
    tables_used = 1;
    tables_populated = 0;
    return true;
  }
  return false;
}

void CloseTables() {
  if (tables_base != nullptr) munmap(tables_base, tables_lines * base::kLineBytes);
  tables_base = nullptr;
  tables_lines = 0;
}

}  // namespace epik::epitome
