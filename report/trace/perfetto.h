// SPDX-License-Identifier: BSD-3-Clause
// Perfetto's own format: packets of protobuf, with half the size of JSON.
#ifndef EPIK_REPORT_TRACE_PERFETTO_H_
#define EPIK_REPORT_TRACE_PERFETTO_H_

#include <string>
#include <vector>

#include "archive/trace/walk.h"
#include "report/sink.h"

namespace epik::report {

using archive::TracePart;

// `notes` names all that was left out to fit into part.most_bytes, and other remarks.
bool WritePerfetto(const TracePart& part, const Sink& sink, std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_PERFETTO_H_
