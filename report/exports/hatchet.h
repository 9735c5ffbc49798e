// SPDX-License-Identifier: BSD-3-Clause
// The "literal" JSON of Hatchet: hatchet.GraphFrame.from_literal(json.load(file)).
#ifndef EPIK_REPORT_EXPORTS_HATCHET_H_
#define EPIK_REPORT_EXPORTS_HATCHET_H_

#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// Writes sums over all locations: NAME and, with callees, "NAME (inc)" of each metric that adds up. Hatchet walks the
// tree recursively, so calls deeper than kDeepestStack count for the frame at that depth.
void WriteHatchet(const archive::Profile& profile, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_HATCHET_H_
