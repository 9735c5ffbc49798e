// SPDX-License-Identifier: BSD-3-Clause
// Finds the name that people have for a program.
#ifndef EPIK_ARCHIVE_IMAGE_PROGRAM_NAME_H_
#define EPIK_ARCHIVE_IMAGE_PROGRAM_NAME_H_

#include <string>
#include <vector>

namespace epik::archive {

// The file's name without its folder. An interpreter has the name of the script or module that it runs, if its
// arguments name one.
std::string ProgramName(const std::string& executable, const std::vector<std::string>& arguments);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_IMAGE_PROGRAM_NAME_H_
