// SPDX-License-Identifier: BSD-3-Clause
// What a region is, told by its paradigm, role and name: the class word of the field's tools, and the metric of the
// time tree that its own time belongs to. Archives, reports and analyses all ask here.
#ifndef EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_
#define EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_

#include <cstdint>
#include <string_view>

#include "archive/profile/profile.h"

namespace epik::epitome {

// The rows of the table of paradigms. Functions that a compiler's hooks have found are kUser, too. COM is none of them:
// it depends on the call tree (user code with MPI or OpenMP below it).
enum class RegionKind : uint8_t {
#define PARADIGM(id, ...) id,
#include "config/paradigms.def"
#undef PARADIGM
};
RegionKind KindOf(const Region& region);
std::string_view ClassWord(RegionKind kind);  // USR MPI OMP THR EPIK

// Unique name of the most specific metric below `time` that takes the exclusive time of the region: "comp",
// "mpi_point2point", "omp_ibarrier" … Regions of a kind without a more specific metric give "mpi", "omp_time" or, for
// paused measurement, "execution".
std::string_view TimeMetricOf(const Region& region);

// Of an MPI function, the word of CUBE 4: point2point, barrier, one2all, rma, "file io" …; "function" for the others.
std::string_view MpiRole(std::string_view name);

// Fills in what readers of the field tell regions by: the role of MPI functions, and MPI, OMP or EPIK as description.
// What was there stays.
void CompleteRegion(Region* region);

}  // namespace epik::epitome

#endif  // EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_
