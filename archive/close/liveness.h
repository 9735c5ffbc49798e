// SPDX-License-Identifier: BSD-3-Clause
// Whether the process that writes an arena is still there. It may be in a container: its number means nothing here
// then, and its host has another name, but it runs on the same kernel.
#ifndef EPIK_ARCHIVE_CLOSE_LIVENESS_H_
#define EPIK_ARCHIVE_CLOSE_LIVENESS_H_

#include <string>

#include "runtime/event/layout.h"

namespace epik::archive {

enum class Lives { kNo, kYes, kCannotTell };

// `arena`: the name of its file, which is among the mappings of the process.
Lives DoesItLive(const event::ProcessHeader& header, const std::string& arena);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_LIVENESS_H_
