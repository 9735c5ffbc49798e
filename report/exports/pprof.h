// SPDX-License-Identifier: BSD-3-Clause
// profile.proto of pprof, gzip'ed, for `go tool pprof` and other viewers of its files.
#ifndef EPIK_REPORT_EXPORTS_PPROF_H_
#define EPIK_REPORT_EXPORTS_PPROF_H_

#include "archive/files/manifest.h"
#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// Writes one sample for each call path and location with a value, labelled with rank and thread. Its values are the
// exclusive values of all metrics that add up, with times in nanoseconds. Viewers show `time` first.
void WritePprof(const archive::Profile& profile, const archive::Manifest& manifest, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_PPROF_H_
