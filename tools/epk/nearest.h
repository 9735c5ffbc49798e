// SPDX-License-Identifier: BSD-3-Clause
// Guesses the word that a user meant by a mistyped one.
#ifndef EPIK_TOOLS_EPK_NEAREST_H_
#define EPIK_TOOLS_EPK_NEAREST_H_

#include <string>
#include <vector>

namespace epik::epk {

// An only completion of `word`, or the known word that config/nearest.h finds near. Empty when no word is near.
std::string Nearest(const std::string& word, const std::vector<std::string>& known);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_NEAREST_H_
