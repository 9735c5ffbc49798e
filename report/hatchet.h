// SPDX-License-Identifier: BSD-3-Clause
// Hatchet's "literal" form: a list of call trees, for hatchet.GraphFrame.from_literal(json.load(file)).
#ifndef EPIK_REPORT_HATCHET_H_
#define EPIK_REPORT_HATCHET_H_

#include "report/sink.h"
#include "runtime/epitome/profile.h"

namespace epik::report {

// Sums over locations: `time` exclusive, `time (inc)` inclusive, every other additive metric as `name`, exclusive.
// Below kDeepestStack calls count for the one at that depth: readers recurse.
void WriteHatchet(const epitome::Profile& profile, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_HATCHET_H_
