// SPDX-License-Identifier: BSD-3-Clause
// A share drawn as a bar: eighths of a character where the locale has them, '#' where it has not.
#ifndef EPIK_VIEW_BAR_H_
#define EPIK_VIEW_BAR_H_

#include <cstddef>
#include <string>

#include "view/terminal.h"

namespace epik::view {

// Exactly `width` columns; shares outside 0…1 are clamped. A share that is not nothing shows at least a sliver.
std::string Bar(const Terminal& terminal, double share, size_t width);

}  // namespace epik::view

#endif  // EPIK_VIEW_BAR_H_
