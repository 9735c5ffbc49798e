// SPDX-License-Identifier: BSD-3-Clause
// Classifies a region by its paradigm, role and name: the class word that other tools use, and the metric of the time
// tree that takes its exclusive time. Archives, reports and analyses all use these functions, so they agree.
#ifndef EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_
#define EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_

#include <cstdint>
#include <string_view>

#include "archive/profile/profile.h"

namespace epik::archive {

// The rows of the table of paradigms. Functions found by a compiler's hooks are kUser, too. There is no class COM,
// because it depends on the call tree (user code that calls MPI or OpenMP).
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

// The role of an MPI function in the words of CUBE 4: point2point, barrier, one2all, rma, "file io" …; "function" if no
// other word fits.
std::string_view MpiRole(std::string_view name);

// Whether the MPI function needs no other process and no file: MPI_Wtime, MPI_Comm_rank, MPI_Type_commit.
bool IsLocalMpi(std::string_view name);

// Fills in the words by which other tools classify regions: the role of MPI functions, and MPI, OMP or EPIK as
// description. Existing words stay.
void CompleteRegion(Region* region);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_REGION_CLASS_H_
