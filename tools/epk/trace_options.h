// SPDX-License-Identifier: BSD-3-Clause
// Shared by the commands that read traces: options for the archive and the part of it.
#ifndef EPIK_TOOLS_EPK_TRACE_OPTIONS_H_
#define EPIK_TOOLS_EPK_TRACE_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/trace/trace_archive.h"
#include "tools/cli/app.h"

namespace epik::epk {

struct TraceOptions {
  std::string archive;
  std::string ranks, threads;  // "0,2-5"; empty: all
  std::string time;            // "1.5-2", "300ms-", "-2us"; empty: all
};

struct TimeWindow {
  int64_t from = INT64_MIN, to = INT64_MAX;  // nanoseconds since the job began
};

void AddTraceOptions(cli::App& app, TraceOptions* options);

// "0,2-5" and the like. False when it is not.
bool ParseNumbers(const std::string& text, std::vector<std::pair<uint64_t, uint64_t>>* ranges);
// Times are seconds, or have a unit: s, ms, us, ns. False when it is no window.
bool ParseWindow(const std::string& text, TimeWindow* window);

// Returns the archive that the user named. Without a name, it takes the newest epik_* directory here that has a trace,
// and names it on stderr. Throws Fault if no directory here has a trace.
std::string NamedOrNewestTrace(const std::string& named, const char* command);

// Opens the archive (without a name: the newest here) and finds the streams that the user selects. Throws Fault and
// UsageError.
void OpenTrace(const char* command, const TraceOptions& options, archive::TraceArchive* archive,
               std::vector<uint32_t>* streams, TimeWindow* window);

// On standard error.
void SayProblems(const char* command, const std::vector<std::string>& problems);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_TRACE_OPTIONS_H_
