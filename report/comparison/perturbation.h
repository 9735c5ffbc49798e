// SPDX-License-Identifier: BSD-3-Clause
// The addition of `epk diff A B` when B is A without measurement: where the time of measuring went.
#ifndef EPIK_REPORT_COMPARISON_PERTURBATION_H_
#define EPIK_REPORT_COMPARISON_PERTURBATION_H_

#include <string>

#include "analysis/approximation/perturbation.h"
#include "archive/profile/profile.h"
#include "view/terminal.h"

namespace epik::report::comparison {

// `top`: the most rows; 0: all.
std::string PerturbationText(const approximation::Perturbation& perturbation, const archive::Profile& measured,
                             size_t top, const view::Terminal& terminal);
// {"direct_s": …, "induced_s": …, "call_paths": [ … ]}
std::string PerturbationJson(const approximation::Perturbation& perturbation, const archive::Profile& measured);

}  // namespace epik::report::comparison

#endif  // EPIK_REPORT_COMPARISON_PERTURBATION_H_
