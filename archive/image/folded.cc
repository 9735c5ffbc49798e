// SPDX-License-Identifier: BSD-3-Clause
#include "archive/image/folded.h"

#include "archive/image/process_image.h"

namespace epik::archive {

using event::Node;

namespace {

uint32_t NearestAbove(const std::vector<Node>& nodes, uint32_t node) {
  uint32_t above = nodes[node].parent;
  for (uint32_t i = 0; i < event::kFarthestFold && above < nodes.size(); ++i, above = nodes[above].parent) {
    if (nodes[above].key == nodes[node].key) return above;
  }
  return kNoNode;
}

}  // namespace

std::vector<uint32_t> FoldedInto(const std::vector<Node>& nodes) {
  std::vector<uint32_t> into;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    if (event::IsMetric(nodes[i].key) || !event::IsFolded(nodes[i])) continue;
    if (into.empty()) into.assign(nodes.size(), kNoNode);
    into[i] = NearestAbove(nodes, i);
  }
  return into;
}

}  // namespace epik::archive
