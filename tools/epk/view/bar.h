// SPDX-License-Identifier: BSD-3-Clause
// A share drawn as a bar: eighths of a character where the locale has them, '#' where it has not.
#ifndef EPIK_TOOLS_EPK_VIEW_BAR_H_
#define EPIK_TOOLS_EPK_VIEW_BAR_H_

#include <cstddef>
#include <string>

#include "tools/epk/view/terminal.h"

namespace epik::epk::view {

// Exactly `width` columns; shares outside 0…1 are clamped. A share that is not nothing shows at least a sliver.
std::string Bar(const Terminal& terminal, double share, size_t width);

}  // namespace epik::epk::view

#endif  // EPIK_TOOLS_EPK_VIEW_BAR_H_
