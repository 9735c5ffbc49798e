// SPDX-License-Identifier: BSD-3-Clause
// Paraver: NAME.prv has states, events and communications, NAME.pcf explains the numbers in it, and NAME.row has the
// names of threads.
#ifndef EPIK_REPORT_TRACE_PARAVER_H_
#define EPIK_REPORT_TRACE_PARAVER_H_

#include <string>
#include <vector>

#include "archive/trace/walk.h"

namespace epik::report {

using archive::TracePart;

// `path` may end with .prv.
bool WriteParaver(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_PARAVER_H_
