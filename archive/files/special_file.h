// SPDX-License-Identifier: BSD-3-Clause
// Outputs that people name. Devices and pipes have no place beside them for a file that is not complete, and no file
// may take their place: they get the bytes.
#ifndef EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_
#define EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_

#include <functional>
#include <string>
#include <string_view>

namespace epik::archive {

// It exists, and is no regular file.
bool IsSpecialFile(const std::string& path);

// A file appears when it is complete.
bool WriteFileOrDevice(const std::string& path, std::string_view contents, std::string* error);

// `write` makes a file where it is told to: at `path`, or, for a device, at a place from which it is copied.
using FileWriting = std::function<bool(const std::string& at, std::string* error)>;
bool MakeFileOrDevice(const std::string& path, const FileWriting& write, std::string* error);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_FILES_SPECIAL_FILE_H_
