// SPDX-License-Identifier: BSD-3-Clause
// What somebody probably meant.
#ifndef EPIK_TOOLS_EPK_NEAREST_H_
#define EPIK_TOOLS_EPK_NEAREST_H_

#include <string>
#include <vector>

namespace epik::epk {

// The known word closest to `word`: an only completion of it, or within a third of its letters changed, missing, added
// or swapped. Empty when nothing is near.
std::string Nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_NEAREST_H_
