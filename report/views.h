// SPDX-License-Identifier: BSD-3-Clause
// The views that look at one side of parallel programs: MPI, OpenMP, load, efficiencies. Each gives the same figures to
// people and to machines.
#ifndef EPIK_REPORT_VIEWS_H_
#define EPIK_REPORT_VIEWS_H_

#include <string>
#include <vector>

#include "analysis/scaling.h"
#include "report/communication.h"
#include "report/figures.h"
#include "report/sheet.h"
#include "report/text.h"

namespace epik::report {

// False, with what is missing and why that may be in *error, when the profile has nothing for the view.
// REQUIRES: options.view is kMpi, kOmp, kLoad, kPop or kCounters.
bool MakeView(const Figures& figures, const TextOptions& options, ViewData* view, std::string* error);

// Whether a metric is a counter that was asked for, or one of the program's own: none that every profile has.
bool IsCounter(const epitome::Profile& profile, uint32_t metric);

// Efficiencies of one program at several scales, smallest first. REQUIRES: a profile; names: of their archives.
void MakeScaling(const std::vector<const epitome::Profile*>& profiles, const std::vector<std::string>& names,
                 analysis::Problem problem, const TextOptions& options, ViewData* view);

namespace internal {

void MakeLoad(const Figures& figures, const TextOptions& options, ViewData* view);
bool MakeMpi(const Figures& figures, const TextOptions& options, ViewData* view, std::string* error);
bool MakeCounters(const Figures& figures, const TextOptions& options, ViewData* view, std::string* error);
bool MakeOmp(const Figures& figures, const TextOptions& options, ViewData* view, std::string* error);
void MakePop(const Figures& figures, const TextOptions& options, ViewData* view);

}  // namespace internal
}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_H_
