// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/epitome/folding.h"

#include <atomic>

namespace epik::epitome {

using event::Key;
using event::Location;
using event::NodeAt;

uint32_t fold_from = kNeverFold;

namespace {

std::atomic<uint32_t> folded{0};

// True for functions and the user's regions. Constructs of OpenMP have their own rules (runtime/teams).
bool MayRecur(Key key) {
  if (event::IsFunction(key)) return true;
  if (!event::IsRegion(key) || event::IsRetired(key) || event::IsParameter(key) || event::IsMetric(key)) return false;
  return event::RegionOf(key) >= event::kFirstDefinedRegion;
}

}  // namespace

uint32_t FoldedNodes() { return folded.load(std::memory_order_relaxed); }

uint32_t OpenAbove(uint32_t node, Key key) {
  for (uint32_t i = 0; i < event::kFarthestFold && node != 0; ++i, node = NodeAt(node)->parent) {
    if (NodeAt(node)->key == key) return node;
  }
  return 0;
}

bool IsToBeFolded(const Location* location, uint32_t parent, Key key) {
  if (location->paths < fold_from || !MayRecur(key) || OpenAbove(parent, key) == 0) return false;
  folded.fetch_add(1, std::memory_order_relaxed);
  return true;
}

uint32_t FoldedInto(uint32_t node) { return OpenAbove(NodeAt(node)->parent, NodeAt(node)->key); }

}  // namespace epik::epitome
