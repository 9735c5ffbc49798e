// SPDX-License-Identifier: BSD-3-Clause
// The run, as far as its trace does not tell.
#ifndef EPIK_ARCHIVE_OTF2_RUN_H_
#define EPIK_ARCHIVE_OTF2_RUN_H_

#include <cstdint>
#include <string>

#include "archive/trace/trace_archive.h"

namespace epik::archive {

struct Otf2Run {
  std::string program;
  int64_t date_ns = 0;  // when the trace begins, since 1970; 0: not known
};

// As the manifest says. A recovered archive, or one from elsewhere, may have none.
Otf2Run RunOf(const TraceArchive& archive);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_RUN_H_
