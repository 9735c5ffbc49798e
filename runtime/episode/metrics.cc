// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/metrics.h"

#include <bit>

#include "runtime/episode/location_hot.h"

namespace epik::episode {
namespace {

// The child of `parent` with this key; null when there is no room for it.
Node* Below(Location* location, uint32_t parent, Key key) {
  uint32_t child = epitome::LastChild(NodeAt(parent), key);
  if (child == 0) child = epitome::FindChild(NodeAt(parent), key);
  if (child == 0) child = MakeChild(location, parent, key);
  Node* node = NodeAt(child);
  return node->key == key ? node : nullptr;
}

void AddIntegerTo(Node* node, uint64_t value) {
  if (node == nullptr) return;
  ++node->visits;
  node->squares = std::bit_cast<double>(std::bit_cast<uint64_t>(node->squares) + value);
  if (value < node->min) node->min = value;
  if (value > node->max) node->max = value;
}

}  // namespace

void AddInteger(Location* location, uint32_t metric, uint64_t value) {
  AddIntegerTo(Below(location, location->node, event::RegionKey(metric)), value);
}

void AddToPeer(Location* location, uint32_t rank, uint64_t bytes) {
  const Node* peers = Below(location, location->root, event::RegionKey(event::kPeersRegion));
  if (peers == nullptr) return;
  AddIntegerTo(Below(location, base::LineOf(peers), event::RegionKey(event::PeerMetric(rank))), bytes);
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
