// SPDX-License-Identifier: BSD-3-Clause
// Folded stacks for flame graphs: "main;solve;MPI_Send 1234", a line for each call path, summed over locations.
#ifndef EPIK_REPORT_EXPORTS_FOLDED_H_
#define EPIK_REPORT_EXPORTS_FOLDED_H_

#include <string>

#include "archive/profile/profile.h"
#include "report/sink.h"

namespace epik::report {

// Metrics in seconds are written as microseconds, others in their own unit. Values are exclusive and rounded to
// integers; zeros are left out. `notes` names values that have no place: negative ones, and small ones that are more
// than a hundredth of all. Returns false and sets *error when there is no such metric, or when it cannot be added up.
bool WriteFolded(const archive::Profile& profile, const std::string& metric, const Sink& sink,
                 std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_EXPORTS_FOLDED_H_
