// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/doctor/tsc.h"

namespace epik::epk::doctor {

bool TscPresent() { return false; }
bool TscInvariant() { return false; }
uint64_t ReadTsc() { return 0; }

}  // namespace epik::epk::doctor
