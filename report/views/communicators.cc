// SPDX-License-Identifier: BSD-3-Clause
#include "report/views/communicators.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "archive/profile/region_class.h"
#include "report/views/bottlenecks.h"
#include "view/number.h"

namespace epik::report {

using archive::kNone;

namespace {

constexpr uint64_t kMany = 20;  // by a process, from one place: a program may well keep a few for all its life

// Whether the function gives the process a communicator: +1, or takes one: -1.
int Makes(const archive::Region& region) {
  if (archive::TimeMetricOf(region) != "mpi_mgmt_comm") return 0;
  const std::string_view name = region.name;
  if (name == "MPI_Comm_free" || name == "MPI_Comm_disconnect") return -1;
  return name == "MPI_Open_port" || name == "MPI_Close_port" ? 0 : 1;
}

}  // namespace

std::string UnfreedCommunicators(const Figures& f, bool unicode) {
  const archive::Profile& profile = f.profile;
  uint32_t place = kNone;  // call path with most
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    if (Makes(profile.regions[profile.call_paths[p].region]) <= 0) continue;
    if (place == kNone || f.visits[p] > f.visits[place]) place = p;
  }
  if (place == kNone || f.visits[place] < kMany) return "";
  const size_t processes = profile.processes.size();
  std::vector<uint64_t> made(processes), freed(processes);
  uint64_t most = 0;  // at the place, by one process
  const uint32_t visits = profile.FindMetric("visits");
  if (visits == kNone || profile.metrics[visits].type != archive::Type::kUint64) return "";
  f.ForRows(visits, [&](uint32_t p, const uint64_t* cells) {
    const int makes = Makes(profile.regions[profile.call_paths[p].region]);
    std::vector<uint64_t>& sums = makes > 0 ? made : freed;
    std::vector<uint64_t> here(p == place ? processes : 0);
    for (size_t l = 0; makes != 0 && l < profile.locations.size(); ++l) {
      const uint32_t process = profile.locations[l].process;
      if (process >= processes) continue;
      sums[process] += cells[l];
      if (p == place) most = std::max(most, here[process] += cells[l]);
    }
  });
  // MPI_Comm_split may give a process none. Those that got some free them, then.
  uint64_t all_made = 0, all_freed = 0;
  for (size_t p = 0; p < processes; ++p) {
    if (made[p] >= kMany && 2 * freed[p] >= made[p]) return "";
    all_made += made[p];
    all_freed += freed[p];
  }
  if (most < kMany) return "";
  const uint32_t region = profile.call_paths[place].region;
  return "Processes make " + view::Plural(all_made, "communicator") + ", most by " + profile.regions[region].name +
         CallerOf(f, region, unicode) + ", and free " + (all_freed == 0 ? "none" : view::Count(all_freed)) +
         ": free each after use (`MPI_Comm_free`), or make it once, before the loop.";
}

}  // namespace epik::report
