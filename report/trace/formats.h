// SPDX-License-Identifier: BSD-3-Clause
// The formats of traces. Each is one file here and one line in formats.cc.
#ifndef EPIK_REPORT_TRACE_FORMATS_H_
#define EPIK_REPORT_TRACE_FORMATS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "archive/trace/walk.h"
#include "report/sink.h"

namespace epik::report {

using archive::TracePart;

struct TraceFormat {
  using ToSink = bool(const TracePart& part, const Sink& sink, std::vector<std::string>* notes, std::string* error);
  using ToPath = bool(const TracePart& part, const std::string& path, std::vector<std::string>* notes,
                      std::string* error);

  const char* name;
  const char* help;     // the programs that read it
  uint64_t most_bytes;  // limit of its viewers; 0: none
  bool leaves_out;      // short calls, and all that is too much
  ToSink* to_sink;      // null: the format has more than one file …
  ToPath* to_path;      // … which are made at this path
};

std::span<const TraceFormat> TraceFormats();
const TraceFormat* FindTraceFormat(std::string_view name);  // null if the name is unknown

// For manuals: " name help", one line each.
std::string TraceFormatLines();

}  // namespace epik::report

#endif  // EPIK_REPORT_TRACE_FORMATS_H_
