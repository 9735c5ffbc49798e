// SPDX-License-Identifier: BSD-3-Clause
// The critical path with its call paths in the order of time, from the frames of the trace.
#ifndef EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_
#define EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_

#include <vector>

#include "analysis/critical/path.h"
#include "analysis/replay/source.h"
#include "analysis/replay/time_model.h"

namespace epik::critical {

struct Segment {
  int64_t from, to;
  uint32_t location, path;  // path kNone: the trace does not have it
};

// Returns the slices of the path, sorted by their locations.
std::vector<std::vector<graph::Slice>> SlicesByLocation(const Path& path, size_t locations);

// Cuts the slices of one location. Its events are read once more for this. A call shorter than `least_ns` is a part of
// its caller. `open`: nodes of the frames that are open before the first event; all of them count as long enough.
std::vector<Segment> CutSlices(std::vector<graph::Slice> slices, uint32_t location, const replay::World& world,
                               replay::EventSource* source, const std::vector<uint32_t>& open, replay::TimeModel* time,
                               int64_t least_ns, const archive::TimeLimit& limit = {});

// Puts the segments of all locations in the order of time. Each one begins where the one before it ends.
std::vector<Segment> InOrder(const std::vector<std::vector<Segment>>& by_location);

// Leaves at most this many segments: short ones become a part of the one before.
void Shorten(std::vector<Segment>* segments, size_t most);

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_SEGMENTS_H_
