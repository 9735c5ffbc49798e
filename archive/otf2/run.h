// SPDX-License-Identifier: BSD-3-Clause
// Facts about the run that its trace does not have.
#ifndef EPIK_ARCHIVE_OTF2_RUN_H_
#define EPIK_ARCHIVE_OTF2_RUN_H_

#include <cstdint>
#include <string>

#include "archive/trace/trace_archive.h"

namespace epik::archive {

struct Otf2Run {
  std::string program;
  int64_t date_ns = 0;  // begin of the trace, since 1970; 0: not known
};

// Takes the facts from the manifest. A recovered archive, or one from another place, may have none.
Otf2Run RunOf(const TraceArchive& archive);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_OTF2_RUN_H_
