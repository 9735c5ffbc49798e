// SPDX-License-Identifier: BSD-3-Clause
// The world of an archive, and the events of its threads.
#ifndef EPIK_ANALYSIS_REPLAY_ARCHIVE_WORLD_H_
#define EPIK_ANALYSIS_REPLAY_ARCHIVE_WORLD_H_

#include <memory>
#include <string>
#include <vector>

#include "analysis/replay/source.h"
#include "analysis/replay/world.h"
#include "archive/files/manifest.h"
#include "archive/trace/trace_archive.h"

namespace epik::replay {

// `path`: of the archive, whose configuration tells which records the trace lacks by choice. `manifest` may be null.
World WorldOf(const archive::TraceArchive& traces, const std::string& path, const archive::Manifest* manifest);

// One for each location of the world, in its order. `traces` outlives them. `damage` gets sentences about the damage of
// each one when it ends.
std::vector<std::unique_ptr<EventSource>> SourcesOf(const archive::TraceArchive& traces,
                                                    std::vector<std::string>* damage);

// The source of one location.
std::unique_ptr<EventSource> SourceOf(const archive::TraceArchive& traces, uint32_t location,
                                      std::vector<std::string>* damage);

// The value of EPK_TRACE, as the archive's configuration has it; empty when there is no such line, or when it cannot be
// read.
std::string SelectionOf(const std::string& path);
// A sentence when the trace has calls alone (EPK_TRACE=slow:…), so that nobody waits in it; otherwise empty.
std::string WhatWasNotLogged(const std::string& selection);
// Returns the value of any setting in the same way.
std::string SettingOf(const std::string& path, const std::string& name);

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_ARCHIVE_WORLD_H_
