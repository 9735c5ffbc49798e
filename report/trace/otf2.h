// SPDX-License-Identifier: BSD-3-Clause
// OTF2, through its library: what Vampir, Scalasca and others read.
#ifndef EPIK_REPORT_TRACE_OTF2_H_
#define EPIK_REPORT_TRACE_OTF2_H_

#include <string>
#include <vector>

#include "report/trace/walk.h"

namespace epik::report {

// Makes a directory `path`, with traces.otf2 in it.
bool WriteOtf2(const TracePart& part, const std::string& path, std::vector<std::string>* notes, std::string* error);

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_OTF2_H_
