// SPDX-License-Identifier: BSD-3-Clause
// The results of an analysis for the page: the same tables as in text and CSV.
#ifndef EPIK_REPORT_HTML_ANALYSIS_H_
#define EPIK_REPORT_HTML_ANALYSIS_H_

#include <string>

#include "analysis/findings/findings.h"
#include "archive/profile/profile.h"

namespace epik::report {

// Returns JSON, or "" when there are no results. `profile` is that of the analysis: trace.cubex.
std::string AnalysisForPage(const archive::Profile& profile, const findings::Findings& findings, bool oversubscribed);

}  // namespace epik::report

#endif  // EPIK_REPORT_HTML_ANALYSIS_H_
