// SPDX-License-Identifier: BSD-3-Clause
// Recursion through several functions can double the number of call paths with each level. From `fold_from` call paths
// of a location on, a call of a function that is already open is folded: its new node belongs to the nearest node above
// with the same key, and its callees hang below that node.
//
// A folded node has a line of its own, so that its time can be taken out of its caller's when the arena is read
// (archive/image/folded.h). Its table has the children of the node that it belongs to. Hooks know nothing of all this:
// they look for a child, enter and leave it as always.
#ifndef EPIK_RUNTIME_EPITOME_FOLDING_H_
#define EPIK_RUNTIME_EPITOME_FOLDING_H_

#include <cstdint>

#include "runtime/event/layout.h"

namespace epik::epitome {

inline constexpr uint32_t kNeverFold = ~uint32_t{0};
extern uint32_t fold_from;

// The number so far; other threads may be adding to it.
uint32_t FoldedNodes();

// The nearest node with this key, at `node` or above it. 0: none is near enough; to look further up would cost more
// than a call path.
uint32_t OpenAbove(uint32_t node, event::Key key);

// Whether a new child of `parent` with this key is folded. Counts it.
bool IsToBeFolded(const event::Location* location, uint32_t parent, event::Key key);

// The node that a folded one belongs to.
uint32_t FoldedInto(uint32_t node);

}  // namespace epik::epitome

#endif  // EPIK_RUNTIME_EPITOME_FOLDING_H_
