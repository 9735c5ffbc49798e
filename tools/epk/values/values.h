// SPDX-License-Identifier: BSD-3-Clause
// The words that may stand behind an option, for completion in a shell: they depend on the machine and on the archives
// here.
#ifndef EPIK_TOOLS_EPK_VALUES_VALUES_H_
#define EPIK_TOOLS_EPK_VALUES_VALUES_H_

#include <string>
#include <vector>

namespace epik::epk {

// `kind` is "trace", "counters", "metrics" (of the newest archive), "variables", or the name of a variable. Other kinds
// have no words.
std::vector<std::string> ValuesOf(const std::string& kind);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_VALUES_VALUES_H_
