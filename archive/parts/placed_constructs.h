// SPDX-License-Identifier: BSD-3-Clause
// Finds the constructs of a measurement in the source.
#ifndef EPIK_ARCHIVE_PARTS_PLACED_CONSTRUCTS_H_
#define EPIK_ARCHIVE_PARTS_PLACED_CONSTRUCTS_H_

#include <vector>

#include "archive/parts/definitions.h"
#include "archive/symbols/construct_places.h"
#include "archive/symbols/symbols.h"

namespace epik::archive {

// The place of each definition that is a construct, by its number. symbols[i] is the symbol at the address of
// definition i.
std::vector<ConstructPlace> PlaceConstructs(const Definitions& definitions,
                                            const std::vector<const symbols::Symbol*>& symbols);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PARTS_PLACED_CONSTRUCTS_H_
