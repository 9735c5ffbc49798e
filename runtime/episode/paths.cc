// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/episode/paths.h"

#include "runtime/epitome/call_tree_hot.h"

namespace epik::episode {

using event::Key;
using event::Location;
using event::NodeAt;

uint32_t ChildOf(Location* location, uint32_t parent, Key key) {
  const uint32_t child = epitome::KnownChild(NodeAt(parent), key);
  return child != 0 ? child : epitome::AddChild(location, parent, key);
}

// Paths may be deep, and they are linked upwards only: they are read in blocks from the top down.
uint32_t CopyPath(Location* location, uint32_t node) {
  constexpr uint32_t kBlock = 16;  // on the stack of a new thread
  uint32_t depth = 0;              // below the root
  for (uint32_t n = node; n != 0 && NodeAt(n)->parent != 0; n = NodeAt(n)->parent) ++depth;
  uint32_t mine = location->root;
  for (uint32_t done = 0; done < depth;) {
    Key keys[kBlock];
    const uint32_t count = depth - done < kBlock ? depth - done : kBlock;
    uint32_t n = node;
    for (uint32_t up = depth; up > done + count; --up) n = NodeAt(n)->parent;
    for (uint32_t i = count; i-- > 0; n = NodeAt(n)->parent) keys[i] = NodeAt(n)->key;
    for (uint32_t i = 0; i < count; ++i) mine = ChildOf(location, mine, keys[i]);
    done += count;
  }
  return mine;
}

}  // namespace epik::episode
