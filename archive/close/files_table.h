// SPDX-License-Identifier: BSD-3-Clause
// Writes io.csv of an archive: how each process used each file (io:: counters).
#ifndef EPIK_ARCHIVE_CLOSE_FILES_TABLE_H_
#define EPIK_ARCHIVE_CLOSE_FILES_TABLE_H_

#include <string>

#include "archive/image/process_image.h"

namespace epik::archive {

std::string FilesHeading();
std::string LineOfFile(int32_t rank, const FileDefinition& file);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CLOSE_FILES_TABLE_H_
