// SPDX-License-Identifier: BSD-3-Clause
// The attributes of a CUBE file: key and value, in the order of the file.
#ifndef EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_
#define EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace epik::archive {

using Attributes = std::vector<std::pair<std::string, std::string>>;

// Marks a difference of runs (Profile::is_difference); the value is "yes".
inline constexpr std::string_view kDifferenceAttribute = "EPIK difference";

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_CUBEX_ATTRIBUTES_H_
