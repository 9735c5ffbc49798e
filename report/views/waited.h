// SPDX-License-Identifier: BSD-3-Clause
// How much of the time in MPI is waiting for other processes, where that is known.
#ifndef EPIK_REPORT_VIEWS_WAITED_H_
#define EPIK_REPORT_VIEWS_WAITED_H_

#include "analysis/findings/findings.h"
#include "report/figures.h"

namespace epik::report {

// Seconds of all threads, without starting and ending MPI: by the analysis, else by the profile of a run with
// EPK_WAITS. Negative: neither knows. `findings` may be null.
double WaitedInMpi(const Figures& figures, const findings::Findings* findings);

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_WAITED_H_
