// SPDX-License-Identifier: BSD-3-Clause
// Recognizes file systems that an arena should not be in when there is a choice.
#ifndef EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_
#define EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_

#include <cstdint>

namespace epik::episode {

// The name of a file system whose shared mappings another machine or a process serves. There, writing back each page
// costs a message, and a server that is gone stops the program or raises SIGBUS in it. Null for all others. `type` is
// f_type of statfs.
const char* RemoteFileSystem(uint32_t type);

// The same for the file system of `folder`; null when it is not known.
const char* RemoteFileSystemOf(const char* folder);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_FILE_SYSTEM_H_
