// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/metrics.h"

#include <bit>

#include "runtime/base/thread_memory.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/paths.h"

namespace epik::episode {
namespace {

// A child of `parent` that was not the last one to be entered or made; null when there is no room for it. Out of line,
// so that the usual way saves no register.
__attribute__((noinline)) Node* OtherBelow(Location* location, uint32_t parent, Key key) {
  uint32_t child = epitome::FindChild(NodeAt(parent), key);
  if (child == 0) child = MakeChild(location, parent, key);
  Node* node = NodeAt(child);
  return node->key == key ? node : nullptr;
}

// The child of `parent` with this key; null when there is no room for it.
EPIK_HOT Node* Below(Location* location, uint32_t parent, Key key) {
  const uint32_t last = epitome::LastChild(NodeAt(parent), key);
  return EPIK_LIKELY(last != 0) ? NodeAt(last) : OtherBelow(location, parent, key);
}

EPIK_HOT void AddValuesTo(Node* node, const Values& values) {
  if (node == nullptr) return;
  node->visits += values.count;
  node->squares = std::bit_cast<double>(std::bit_cast<uint64_t>(node->squares) + values.sum);
  if (values.min < node->min) node->min = values.min;
  if (values.max > node->max) node->max = values.max;
}

EPIK_HOT void AddIntegerTo(Node* node, uint64_t value) { AddValuesTo(node, {1, value, value, value}); }

void TakeBackFrom(Node* node, uint64_t value) {
  if (node == nullptr || node->visits == 0) return;
  --node->visits;
  node->squares = std::bit_cast<double>(std::bit_cast<uint64_t>(node->squares) - value);
}

// The peers of this thread's location, as found last time.
EPIK_PER_THREAD base::PerThread<uint32_t> last_peers;

// The call path that the process's peers are below; 0: no room.
__attribute__((noinline)) uint32_t FindPeers(Location* location) {
  const Node* peers = Below(location, location->root, event::RegionKey(event::kPeersRegion));
  if (peers == nullptr) return 0;
  *last_peers = base::LineOf(peers);
  return *last_peers;
}

// The same. It is nearly always the one that was found last time.
EPIK_HOT uint32_t Peers(Location* location) {
  const uint32_t last = *last_peers;
  if (EPIK_LIKELY(last < __atomic_load_n(&event::Process()->arena.lines_used, __ATOMIC_RELAXED))) {
    const Node* node = NodeAt(last);
    if (node->key == event::RegionKey(event::kPeersRegion) && node->parent == location->root) return last;
  }
  return FindPeers(location);
}

}  // namespace

void AddInteger(Location* location, uint32_t metric, uint64_t value) {
  AddIntegerTo(Below(location, location->node, event::RegionKey(metric)), value);
}

void AddValues(Location* location, uint32_t metric, const Values& values) {
  AddValuesTo(Below(location, location->node, event::RegionKey(metric)), values);
}

// The two nodes were made one after the other, so the second node is most likely right behind the first.
void AddIntegers(Location* location, uint32_t metric, uint64_t value, uint32_t second, uint64_t second_value) {
  const uint32_t parent = location->node;
  Node* node = Below(location, parent, event::RegionKey(metric));
  AddIntegerTo(node, value);
  if (second == 0 || node == nullptr) return;
  const Key key = event::RegionKey(second);
  const bool is_last = (base::LineOf(node) + 1) % base::kChunkLines == 0;
  Node* next = EPIK_UNLIKELY(is_last) ? node : node + 1;
  if (EPIK_UNLIKELY(next->key != key || next->parent != parent)) next = Below(location, parent, key);
  AddIntegerTo(next, second_value);
}

void AddIntegerAt(Location* location, uint32_t node, uint32_t metric, uint64_t value) {
  const Key key = event::RegionKey(metric);
  Node* below = NodeAt(ChildOf(location, node, key));
  AddIntegerTo(below->key == key ? below : nullptr, value);
}

void AddSent(Location* location, int32_t rank, uint64_t bytes) {
  AddIntegerTo(Below(location, location->node, event::RegionKey(event::kBytesSentMetric)), bytes);
  if (rank < 0) return;
  const uint32_t peers = Peers(location);
  if (peers == 0) return;
  AddIntegerTo(Below(location, peers, event::RegionKey(event::PeerMetric(static_cast<uint32_t>(rank)))), bytes);
}

void TakeBack(Location* location, uint32_t node, uint32_t metric, uint64_t value) {
  TakeBackFrom(Below(location, node, event::RegionKey(metric)), value);
}

void TakeBackFromPeer(Location* location, uint32_t rank, uint64_t bytes) {
  const uint32_t peers = Peers(location);
  if (peers == 0) return;
  TakeBackFrom(Below(location, peers, event::RegionKey(event::PeerMetric(rank))), bytes);
}

void AddReal(Location* location, uint32_t metric, double value) {
  Node* node = Below(location, location->node, event::RegionKey(metric));
  if (node == nullptr) return;
  if (node->visits == 0 || value < std::bit_cast<double>(node->min)) node->min = std::bit_cast<uint64_t>(value);
  if (node->visits == 0 || value > std::bit_cast<double>(node->max)) node->max = std::bit_cast<uint64_t>(value);
  node->squares += value;
  ++node->visits;
}

}  // namespace epik::episode
