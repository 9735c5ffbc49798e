// SPDX-License-Identifier: BSD-3-Clause
// Regions that were not measured in full (EPK_HOT, EPK_BUDGET), in a line.
#ifndef EPIK_REPORT_ESTIMATED_H_
#define EPIK_REPORT_ESTIMATED_H_

#include <string>

#include "report/figures.h"
#include "view/terminal.h"

namespace epik::report {

// "Solve 3.1 s ± 20 ms, Tiny (dropped)": those with most calls that were not timed first. Empty: all were measured.
std::string EstimatedRegions(const Figures& figures, const view::Terminal& terminal);

}  // namespace epik::report

#endif  // EPIK_REPORT_ESTIMATED_H_
