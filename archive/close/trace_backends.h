// SPDX-License-Identifier: BSD-3-Clause
// Other formats in which a job can write its trace when it ends (EPK_TRACE_FORMAT, EPK_ANALYZE). Each format is a
// library beside libepk_archive.so, loaded when the setting asks for it, and a row in trace_backends.cc.
//
// While the program runs, its trace stays in arenas and EPIK's own blocks, because that is cheap and can be recovered.
// At the end all processes write the other format together, each for its own threads.
#ifndef EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_
#define EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_

#include <cstdint>
#include <string>

#include "config/settings.h"
#include "runtime/abi/group.h"
#include "runtime/abi/trace_backend.h"

namespace epik::archive {

// The format of a trace whose analysis is kept alone (EPK_ANALYZE).
inline constexpr char kAnalysisFormat[] = "analysis";

// The value of EPK_TRACE_FORMAT, when it is one of these formats; otherwise "".
std::string TraceFormatOf(const config::Settings& settings);

// Collective. Writes the traces in `folder` in another format and removes them. `rank` is the rank whose trace this
// process has there, and `program` is the name of the program, for the root. On failure the traces stay, and it returns
// false with the reason.
bool WriteInFormat(Group* group, const std::string& format, const std::string& folder, int32_t rank,
                   const std::string& program, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_TRACE_BACKENDS_H_
