// SPDX-License-Identifier: BSD-3-Clause
// A file for https://www.speedscope.app: one sampled profile for each location, with common frames, and a sample for
// each call path.
#ifndef EPIK_REPORT_EXPORTS_SPEEDSCOPE_H_
#define EPIK_REPORT_EXPORTS_SPEEDSCOPE_H_

#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// Returns false and sets *error when there is no such metric, or when it cannot be added up. `notes` names values that
// are left out.
bool WriteSpeedscope(const archive::Profile& profile, const archive::Manifest& manifest, const std::string& metric,
                     const Sink& sink, std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_SPEEDSCOPE_H_
