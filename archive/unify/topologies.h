// SPDX-License-Identifier: BSD-3-Clause
// Puts the Cartesian topologies of a job together. Each process knows only its own place.
#ifndef EPIK_ARCHIVE_UNIFY_TOPOLOGIES_H_
#define EPIK_ARCHIVE_UNIFY_TOPOLOGIES_H_

#include <cstddef>
#include <vector>

#include "archive/parts/process_facts.h"
#include "archive/profile/profile.h"

namespace epik::archive {

// REQUIRES: the processes are in the profile. Returns the number of topologies that were left out, because reports show
// few.
size_t DescribeTopologies(const std::vector<ProcessFacts>& processes, Profile* profile);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_UNIFY_TOPOLOGIES_H_
