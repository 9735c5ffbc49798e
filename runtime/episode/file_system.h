// SPDX-License-Identifier: BSD-3-Clause
// Which file systems an arena should not be in when there is a choice.
#ifndef EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_
#define EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_

#include <cstdint>

namespace epik::episode {

// The name of a file system whose shared mappings are served by another machine or by a process: each page that is
// written back costs a journey, and a server that is gone stops the program or raises SIGBUS in it. Null for all
// others, of which nothing bad is known. `type` is f_type of statfs.
const char* RemoteFileSystem(uint32_t type);

// The same for the one that `folder` is in; null when that cannot be told.
const char* RemoteFileSystemOf(const char* folder);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_
