// SPDX-License-Identifier: BSD-3-Clause
// Names of groups as bits of EPK_MPI_ENABLED.
#ifndef EPIK_ADAPTERS_MPI_GROUPS_H_
#define EPIK_ADAPTERS_MPI_GROUPS_H_

#include <string_view>

#include "adapters/mpi/call_hot.h"
#include "config/settings.h"

namespace epik::mpi {

// 0 for what is no group: EXT, ERR and MISC qualify others as well as being groups.
constexpr uint64_t BitOf(std::string_view group) {
  std::string_view known = config::kMpiGroups;
  for (unsigned bit = 0; !known.empty(); ++bit) {
    const size_t end = known.find(' ') < known.size() ? known.find(' ') : known.size();
    if (known.substr(0, end) == group) return uint64_t{1} << bit;
    known.remove_prefix(end < known.size() ? end + 1 : end);
  }
  return 0;
}

consteval Group GroupOf(std::string_view name) {
  const size_t cut = name.find('_');
  const uint64_t both = cut == name.npos ? 0 : BitOf(name.substr(0, cut)) | BitOf(name.substr(cut + 1));
  return Group{BitOf(name), both};
}

static_assert(GroupOf("P2P").own != 0 && GroupOf("P2P").both == 0);
static_assert(GroupOf("CG_EXT").both == (BitOf("CG") | BitOf("EXT")));

}  // namespace epik::mpi

#endif  // EPIK_ADAPTERS_MPI_GROUPS_H_
