// SPDX-License-Identifier: BSD-3-Clause
// Structural merge: makes one set of metrics, call paths and locations of all operands, and finds the place of each of
// them in each operand (Song et al., "An Algebra for Cross-Experiment Performance Analysis", 2004).
//
// Metrics match by unique name. Regions match by name; if an operand has several regions of one name, those of the same
// file match, then those of a file with the same base name, in the order of their lines. Constructs of OpenMP, whose
// names have lines, match by kind, file and function, and by their order within it. Call paths match when they lead
// over the same regions from the root; the roots that stand for the programs always match. Processes match by rank,
// locations by rank and thread.
#ifndef EPIK_ANALYSIS_ALGEBRA_UNITE_H_
#define EPIK_ANALYSIS_ALGEBRA_UNITE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::algebra {

// The places of the union's metrics, call paths and locations in one operand; kNone: the operand lacks it.
struct Places {
  std::vector<uint32_t> metric, path, location;
};

struct Union {
  archive::Profile definitions;
  std::vector<Places> operands;
  std::vector<std::string> notes;  // sentences about metrics that do not fit together and are left out
};

enum class Conflict : uint8_t {
  kLeaveOut,   // a metric that adds up in one operand and is a minimum in another, or has another unit
  kFirstWins,  // every metric is taken from the first operand that has it, and from no other
};

// Definitions that archive::CheckDefinitions accepts, in preorder. At least one.
Union Unite(const std::vector<const archive::Profile*>& operands, Conflict conflict = Conflict::kLeaveOut);

// Returns, for each call path of `other`, the number of the same call path in `profile`; kNone where `profile` lacks
// it.
std::vector<uint32_t> SameCallPaths(const archive::Profile& profile, const archive::Profile& other);

namespace internal {

using Maps = std::vector<std::vector<uint32_t>>;  // one map for each operand: its number -> number in the union

// Whether the region is a construct of OpenMP with a line in its name.
bool IsConstruct(const archive::Region& region);
// Identifies a construct of OpenMP by properties that stay when its line moves. A region without a key is no construct.
struct Construct {
  std::string key;  // kind, file without folders, function around it
  int line = 0;     // from the beginning of that function, where it is known
};
std::vector<Construct> Constructs(const archive::Profile& profile);  // by region
// Finds a partner among the many for each of the few. Both keep their order, and the sum of distances is least.
std::vector<uint32_t> Align(const std::vector<int>& few, const std::vector<int>& many);
std::vector<std::pair<uint32_t, uint32_t>> MatchConstructs(const std::vector<Construct>& own,
                                                           const std::vector<Construct>& united);

Maps UniteRegions(const std::vector<const archive::Profile*>& operands, std::vector<archive::Region>* regions);
Maps UniteCallPaths(const std::vector<const archive::Profile*>& operands, const Maps& regions,
                    std::vector<archive::CallPath>* paths);
// Fills in machine, hosts, processes and locations. If the operands ran on different hosts, one host stands for all of
// them.
Maps UniteSystems(const std::vector<const archive::Profile*>& operands, archive::Profile* united);
// The root that stands for the whole program; kNone when there is no such root, or more than one.
uint32_t ProgramRoot(const archive::Profile& profile);

}  // namespace internal
}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_UNITE_H_
