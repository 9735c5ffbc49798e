// SPDX-License-Identifier: BSD-3-Clause
// Writes a page for man(1).
#ifndef EPIK_TOOLS_EPK_ROFF_H_
#define EPIK_TOOLS_EPK_ROFF_H_

#include <string>

#include "tools/epk/manual.h"

namespace epik::epk {

std::string RenderRoff(const Page& page);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_ROFF_H_
