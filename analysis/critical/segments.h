// SPDX-License-Identifier: BSD-3-Clause
// The critical path with its call paths in the order of time, from the frames of the trace.
#ifndef EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_
#define EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_

#include <memory>
#include <vector>

#include "analysis/critical/path.h"
#include "analysis/replay/source.h"
#include "analysis/replay/time_model.h"

namespace epik::critical {

struct Segment {
  int64_t from, to;
  uint32_t location, path;  // path kNone: the trace does not say
};

// Reads the events of each location once more, on so many threads. A call shorter than `least_ns` is a part of its
// caller. Each segment begins where the one before ends.
std::vector<Segment> SegmentsOf(const Path& path, const replay::World& world,
                                std::vector<std::unique_ptr<replay::EventSource>> sources, replay::TimeModel* time,
                                int64_t least_ns, unsigned threads = 1);

// So many at most: short ones become a part of the one before.
void Shorten(std::vector<Segment>* segments, size_t most);

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_
