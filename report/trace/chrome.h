// SPDX-License-Identifier: BSD-3-Clause
// The Trace Event Format of chrome://tracing, which Perfetto reads as well: JSON.
#ifndef EPIK_REPORT_TRACE_CHROME_H_
#define EPIK_REPORT_TRACE_CHROME_H_

#include <string>
#include <vector>

#include "archive/trace/walk.h"
#include "report/sink.h"

namespace epik::report {

using archive::TracePart;

// `notes` names all that was left out to fit into part.most_bytes, and other remarks.
bool WriteChrome(const TracePart& part, const Sink& sink, std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_CHROME_H_
