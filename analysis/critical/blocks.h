// SPDX-License-Identifier: BSD-3-Clause
// Cuts the slices of a location in a trace file. The path of a long run has each location only for some parts, and
// blocks between these parts are not read.
#ifndef EPIK_ANALYSIS_CRITICAL_BLOCKS_H_
#define EPIK_ANALYSIS_CRITICAL_BLOCKS_H_

#include <vector>

#include "analysis/critical/segments.h"
#include "archive/trace/location_reader.h"

namespace epik::critical {

// Cuts the same segments as CutSlices cuts from all events of the location. Returns false when a block is damaged: call
// CutSlices then.
bool CutInBlocks(const archive::ProcessFile& file, const archive::ParentOf& parent_of,
                 const std::vector<graph::Slice>& slices, uint32_t location, const replay::World& world,
                 replay::TimeModel* time, int64_t least_ns, std::vector<Segment>* segments,
                 const archive::TimeLimit& limit = {});

}  // namespace epik::critical

#endif  // EPIK_ANALYSIS_CRITICAL_BLOCKS_H_
