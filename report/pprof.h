// SPDX-License-Identifier: BSD-3-Clause
// The format of the pprof tools (profile.proto), not compressed: they read it as it is.
#ifndef EPIK_REPORT_PPROF_H_
#define EPIK_REPORT_PPROF_H_

#include "report/sink.h"
#include "runtime/archive/manifest.h"
#include "runtime/epitome/profile.h"

namespace epik::report {

// A sample for each call path and location, labelled with rank and thread: time in nanoseconds first, then every other
// additive metric, exclusive. Below kDeepestStack calls count for the one at that depth.
void WritePprof(const epitome::Profile& profile, const archive::Manifest& manifest, const Sink& sink);

}  // namespace epik::report

#endif  // EPIK_REPORT_PPROF_H_
