// SPDX-License-Identifier: BSD-3-Clause
// Folded nodes (EPK_RECURSION): calls of a function that was already open in an outer call. Their visits belong to the
// node above with the same key (runtime/epitome/folding.h).
//
//   f 10 s              the function f called g, which called f again for 6 s of its 9, folded
//   └ g 9 s
//     └ f 6 s, folded   f alone took 10 + 6 - 9 s, g 9 - 6 s
#ifndef EPIK_ARCHIVE_IMAGE_FOLDED_H_
#define EPIK_ARCHIVE_IMAGE_FOLDED_H_

#include <cstdint>
#include <vector>

#include "runtime/event/layout.h"

namespace epik::archive {

// For each node, the node that it belongs to; kNoNode when it is not folded. The result is empty when no node is
// folded. Node::parent are indices.
std::vector<uint32_t> FoldedInto(const std::vector<event::Node>& nodes);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_IMAGE_FOLDED_H_
