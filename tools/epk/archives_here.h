// SPDX-License-Identifier: BSD-3-Clause
// The archives in this directory, for commands whose user names none.
#ifndef EPIK_TOOLS_EPK_ARCHIVES_HERE_H_
#define EPIK_TOOLS_EPK_ARCHIVES_HERE_H_

#include <functional>
#include <string>

namespace epik::epk {

// The newest epik_* directory here that `wanted` accepts; empty: none.
std::string NewestArchive(const std::function<bool(const std::string& path)>& wanted);

// The archive that was named; else the newest finished archive here, with a line on stderr that names it. Throws Fault
// when there is none.
std::string NamedOrNewest(const std::string& named, const char* command);

// The same for archives of runs that were measured: archives that were computed from others are passed over. `traced`:
// only those with a trace.
std::string NamedOrNewestMeasured(const std::string& named, const char* command, bool traced);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_ARCHIVES_HERE_H_
