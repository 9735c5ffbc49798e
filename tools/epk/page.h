// SPDX-License-Identifier: BSD-3-Clause
// The page of HTML reports, and the files of an archive beside its profile.
#ifndef EPIK_TOOLS_EPK_PAGE_H_
#define EPIK_TOOLS_EPK_PAGE_H_

#include <filesystem>
#include <string>

#include "report/html/extras.h"

namespace epik::epk {

// False when the path is no regular file or cannot be read: opening a pipe would wait for its writer.
bool ReadFile(const std::filesystem::path& path, std::string* text);

inline constexpr char kCommunication[] = "communication.csv";

// Reads the page of the installation, and the archive's messages where they were counted. Throws Fault when there is no
// page.
void ReadPage(const std::string& archive, report::HtmlExtras* extras);

}  // namespace epik::epk

#endif  // EPIK_TOOLS_EPK_PAGE_H_
