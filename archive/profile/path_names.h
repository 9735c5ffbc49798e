// SPDX-License-Identifier: BSD-3-Clause
// Names of call paths, "main > solve > MPI_Send". Recursion may make trees of a hundred thousand levels: of those that
// are deep, names count the levels in the middle, so that all names together grow with the tree and not with its
// square.
#ifndef EPIK_ARCHIVE_PROFILE_PATH_NAMES_H_
#define EPIK_ARCHIVE_PROFILE_PATH_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::archive {

// A call path with more levels is named by kNamedLevels from either end: "main > … > (600 more) > … > leaf".
inline constexpr size_t kMostNamedLevels = 512;
inline constexpr size_t kNamedLevels = 32;

// The names of a call path with so many levels. `name_of(level)` is called for those that are shown; 0 is the root.
template <typename NameOf>
std::string PathText(size_t levels, const NameOf& name_of) {
  const size_t left_out = levels > kMostNamedLevels ? levels - 2 * kNamedLevels : 0;
  std::string text;
  for (size_t level = 0; level < levels; ++level) {
    if (level > 0) text += " > ";
    if (left_out > 0 && level == kNamedLevels) {
      text += "(" + std::to_string(left_out) + " more) > ";
      level += left_out;
    }
    text += name_of(level);
  }
  return text;
}

// Names of many call paths of a profile, which outlives this. Profile::PathName is for a few: it walks to the root.
class PathNames {
 public:
  explicit PathNames(const Profile& profile);
  std::string Of(uint32_t path) const;

 private:
  std::string_view NameOf(uint32_t path) const { return profile_.regions[profile_.call_paths[path].region].name; }

  const Profile& profile_;
  std::vector<uint32_t> callers_;  // how many, by call path
  std::vector<uint32_t> outer_;    // the innermost caller of the first kNamedLevels, by call path
};

// Numbers call paths of several profiles: the same number for those with the same names from the root on.
class SamePaths {
 public:
  std::vector<uint32_t> Of(const Profile& profile);

 private:
  std::unordered_map<std::string, uint32_t> names_;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> paths_;  // by number of the caller and of the name
};

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_PATH_NAMES_H_
