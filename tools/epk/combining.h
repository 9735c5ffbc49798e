// SPDX-License-Identifier: BSD-3-Clause
// Shared by the commands that make one profile of several: merge, mean, min, max.
#ifndef EPIK_TOOLS_EPK_COMBINING_H_
#define EPIK_TOOLS_EPK_COMBINING_H_

#include <functional>

#include "analysis/algebra/store.h"
#include "tools/epk/command.h"

namespace epik::epk {

void AddCombining(cli::App& app, std::function<int()>& run, algebra::Operation operation, const char* manual);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_COMBINING_H_
