// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether the process that writes an arena still lives. In a container, its number means nothing here and its
// host has another name, but it runs on the same kernel.
#ifndef EPIK_ARCHIVE_CLOSE_LIVENESS_H_
#define EPIK_ARCHIVE_CLOSE_LIVENESS_H_

#include <string>

#include "runtime/event/layout.h"

namespace epik::archive {

enum class Lives { kNo, kYes, kCannotTell };

// `arena`: the name of its file, which is mapped by a living process.
Lives DoesItLive(const event::ProcessHeader& header, const std::string& arena);

// Whether the arena was written on this machine since it was started.
bool IsOfThisBoot(const event::ProcessHeader& header);

// Whether a process of this boot has the number in the header, here, and is the one that writes the arena.
bool IsItHere(const event::ProcessHeader& header, const std::string& arena);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_LIVENESS_H_
