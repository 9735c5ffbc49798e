// SPDX-License-Identifier: BSD-3-Clause
// profile.proto of pprof, gzip'ed: `go tool pprof`, and the viewers that read its files.
#ifndef EPIK_REPORT_EXPORTS_PPROF_H_
#define EPIK_REPORT_EXPORTS_PPROF_H_

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// One sample for each call path and location with a value, labelled with rank and thread; its values are the exclusive
// ones of all metrics that add up, times in nanoseconds. `time` is what viewers show first.
void WritePprof(const epitome::Profile& profile, const archive::Manifest& manifest, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_PPROF_H_
