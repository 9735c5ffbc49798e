// SPDX-License-Identifier: BSD-3-Clause
// The archives in this directory, for commands that were given none.
#ifndef EPIK_TOOLS_EPK_ARCHIVES_HERE_H_
#define EPIK_TOOLS_EPK_ARCHIVES_HERE_H_

#include <functional>
#include <string>

namespace epik::epk {

// The newest epik_* directory here that `wanted` takes; empty: there is none.
std::string NewestArchive(const std::function<bool(const std::string& path)>& wanted);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_ARCHIVES_HERE_H_
