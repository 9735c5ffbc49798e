// SPDX-License-Identifier: BSD-3-Clause
// EPK_GROUPS: selects the groups of regions that are measured, in the language of filters.
#ifndef EPIK_CONFIG_GROUPS_H_
#define EPIK_CONFIG_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

// Returns a filter that measures the groups, except those with a `-` before them; it always measures `main`. A group is
// one of compiler, user, mpi, openmp and pthread, or file=, dir=, object= or region= and a pattern; without such a word
// it is a pattern of regions, or of files when there is a slash in it. If no word names a group to measure, all others
// are measured.
std::string FilterOfGroups(const std::vector<std::string>& groups);

// Splits lines into words, one word a line.
std::vector<std::string> WordsOfLines(std::string_view lines);

}  // namespace epik::config

#endif  // EPIK_CONFIG_GROUPS_H_
