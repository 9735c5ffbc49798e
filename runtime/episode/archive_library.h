// SPDX-License-Identifier: BSD-3-Clause
// libepk_archive.so, which is beside this library and is loaded when it is needed.
#ifndef EPIK_RUNTIME_EPISODE_ARCHIVE_LIBRARY_H_
#define EPIK_RUNTIME_EPISODE_ARCHIVE_LIBRARY_H_

namespace epik::episode {

// Null: *error has the reason.
void* FindInArchiveLibrary(const char* symbol, const char** error);

}  // namespace epik::episode

#endif  // EPIK_RUNTIME_EPISODE_ARCHIVE_LIBRARY_H_
