// SPDX-License-Identifier: BSD-3-Clause
// The timeline of an archive: read from its timeline.epk, or made by one replay of its trace and stored there.
#ifndef EPIK_ANALYSIS_TIMELINE_OPEN_H_
#define EPIK_ANALYSIS_TIMELINE_OPEN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "archive/trace/trace_archive.h"

namespace epik::timeline {

inline constexpr char kFileName[] = "timeline.epk";

struct Opened {
  archive::TraceArchive traces;
  Timeline timeline;
  std::vector<std::string> problems;  // data that could not be read or stored
};

// `path`: the path of an archive. Returns false, with the reason, when it has no trace that can be read. `progress` is
// called every few million events while the timeline is made.
bool Open(const std::string& path, const std::function<void(uint64_t events)>& progress, Opened* opened,
          std::string* error);

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_OPEN_H_
