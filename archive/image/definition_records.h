// SPDX-License-Identifier: BSD-3-Clause
// The records of an arena's definition chunks: program, modules, regions, communicators, counters and so on. One switch
// over event::RecordType; a new kind of record gets its case here.
#ifndef EPIK_ARCHIVE_IMAGE_DEFINITION_RECORDS_H_
#define EPIK_ARCHIVE_IMAGE_DEFINITION_RECORDS_H_

#include <string>

#include "archive/image/process_image.h"
#include "runtime/event/layout.h"

namespace epik::archive {

// Adds what one record defines to the image. A record that is cut off or contradicts itself is counted in
// ProcessImage::skipped instead.
void ReadDefinitionRecord(event::RecordType type, const std::string& payload, ProcessImage* image);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_IMAGE_DEFINITION_RECORDS_H_
