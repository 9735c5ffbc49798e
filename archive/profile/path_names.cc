// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/path_names.h"

namespace epik::archive {

PathNames::PathNames(const Profile& profile)
    : profile_(profile), callers_(profile.call_paths.size()), outer_(profile.call_paths.size()) {
  for (uint32_t path = 0; path < callers_.size(); ++path) {
    const uint32_t parent = profile.call_paths[path].parent;
    callers_[path] = parent == kNone ? 0 : callers_[parent] + 1;
    outer_[path] = callers_[path] < kNamedLevels ? path : outer_[parent];
  }
}

std::string PathNames::Of(uint32_t path) const {
  const size_t levels = size_t{callers_[path]} + 1;
  const size_t inner = levels > kMostNamedLevels ? kNamedLevels : levels;
  std::vector<std::string_view> from_leaf, from_outer;
  for (uint32_t p = path; from_leaf.size() < inner; p = profile_.call_paths[p].parent) from_leaf.push_back(NameOf(p));
  for (uint32_t p = outer_[path]; inner < levels && p != kNone; p = profile_.call_paths[p].parent) {
    from_outer.push_back(NameOf(p));
  }
  return PathText(levels, [&](size_t level) {
    return level < from_outer.size() ? from_outer[from_outer.size() - 1 - level] : from_leaf[levels - 1 - level];
  });
}

std::string Profile::PathName(uint32_t path) const {
  std::vector<uint32_t> from_leaf;
  for (uint32_t p = path; p != kNone; p = call_paths[p].parent) from_leaf.push_back(p);
  return PathText(from_leaf.size(), [&](size_t level) -> const std::string& {
    return regions[call_paths[from_leaf[from_leaf.size() - 1 - level]].region].name;
  });
}

std::vector<uint32_t> SamePaths::Of(const Profile& profile) {
  std::vector<uint32_t> numbers;
  for (const CallPath& path : profile.call_paths) {
    const auto name = names_.emplace(profile.regions[path.region].name, names_.size()).first->second;
    const uint32_t caller = path.parent == kNone ? kNone : numbers[path.parent];
    numbers.push_back(paths_.emplace(std::pair(caller, name), paths_.size()).first->second);
  }
  return numbers;
}

}  // namespace epik::archive
