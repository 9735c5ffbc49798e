// SPDX-License-Identifier: BSD-3-Clause
// The attributes of a CUBE file: key and value, in the order of the file.
#ifndef EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_
#define EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_

#include <string>
#include <utility>
#include <vector>

namespace epik::archive {

using Attributes = std::vector<std::pair<std::string, std::string>>;

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_
