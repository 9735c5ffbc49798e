// SPDX-License-Identifier: BSD-3-Clause
// Names in one line the regions that were not measured in full (EPK_HOT, EPK_BUDGET).
#ifndef EPIK_REPORT_ESTIMATED_H_
#define EPIK_REPORT_ESTIMATED_H_

#include <string>

#include "report/figures.h"
#include "view/terminal.h"

namespace epik::report {

// "Solve 3.1 s ± 20 ms, Tiny (dropped)": the regions with most untimed calls come first. Empty when all regions were
// measured in full.
std::string EstimatedRegions(const Figures& figures, const view::Terminal& terminal);

}  // namespace epik::report

#endif  // EPIK_REPORT_ESTIMATED_H_
