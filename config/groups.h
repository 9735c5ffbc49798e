// SPDX-License-Identifier: BSD-3-Clause
// EPK_GROUPS: which groups of regions are measured, in the words of filters.
#ifndef EPIK_CONFIG_GROUPS_H_
#define EPIK_CONFIG_GROUPS_H_

#include <string>
#include <string_view>
#include <vector>

namespace epik::config {

// A filter that measures the groups, and not those with a `-` before them; `main` always. A group is one of compiler,
// user, mpi, openmp and pthread, or file=, dir=, object= or region= and a pattern; without such a word it is a pattern
// of regions, or of files when there is a slash in it. With none that is measured, all others are.
std::string FilterOfGroups(const std::vector<std::string>& groups);

// A word a line.
std::vector<std::string> WordsOfLines(std::string_view lines);

}  // namespace epik::config

#endif  // EPIK_CONFIG_GROUPS_H_
