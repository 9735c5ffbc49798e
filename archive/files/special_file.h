// SPDX-License-Identifier: BSD-3-Clause
// Outputs whose paths users give. Devices and pipes get the bytes themselves: there is no place beside them for an
// unfinished file, and no file may take their place.
#ifndef EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_
#define EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_

#include <functional>
#include <string>
#include <string_view>

namespace epik::archive {

// Whether the path exists, and is no regular file.
bool IsSpecialFile(const std::string& path);

// A file gets its name only when it is complete.
bool WriteFileOrDevice(const std::string& path, std::string_view contents, std::string* error);

// Calls `write` with the path at which it has to make a file. That is `path` itself, unless `path` is a device or a
// pipe: then `write` makes a temporary file, and this function copies it.
using FileWriting = std::function<bool(const std::string& at, std::string* error)>;
bool MakeFileOrDevice(const std::string& path, const FileWriting& write, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_
