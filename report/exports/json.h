// SPDX-License-Identifier: BSD-3-Clause
// All content of a profile, for programs: docs/report.schema.json. Numbers are exact when they are read back.
#ifndef EPIK_REPORT_EXPORTS_JSON_H_
#define EPIK_REPORT_EXPORTS_JSON_H_

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

void WriteJson(const archive::Profile& profile, const archive::Manifest& manifest, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_JSON_H_
