// SPDX-License-Identifier: BSD-3-Clause
// The next steps: rules over a profile and its manifest.
#ifndef EPIK_REPORT_VIEWS_ADVICE_H_
#define EPIK_REPORT_VIEWS_ADVICE_H_

#include <string>
#include <string_view>
#include <vector>

#include "archive/files/manifest.h"
#include "report/figures.h"

namespace epik::report {

inline constexpr double kMuchCost = 10;  // percent of the time from which measuring distorts what is measured

// The one or two most important sentences below a view. `next`: where the view itself says to go; empty: it does not.
std::vector<std::string> Advise(const Figures& figures, const archive::Manifest& manifest, std::string_view view,
                                const std::string& next, bool unicode = true);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_ADVICE_H_
