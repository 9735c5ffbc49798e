// SPDX-License-Identifier: BSD-3-Clause
// Structural merge: one set of metrics, call paths and locations that holds those of all operands, and where each of
// them is in each operand (Song et al., "An Algebra for Cross-Experiment Performance Analysis", 2004).
//
// Metrics are the same when their unique names are. Regions are the same when their names are; where an operand has
// several of a name, those of the same file are, then those of a file of the same base name, in order of their lines.
// Constructs of OpenMP are the same by kind, file and function, in their order within it: their names have lines.
// Call paths are the same when they lead over the same regions from the root; the roots that stand for the programs are
// the same whatever the programs are called. Processes are the same by rank, locations by rank and thread.
#ifndef EPIK_ANALYSIS_ALGEBRA_UNITE_H_
#define EPIK_ANALYSIS_ALGEBRA_UNITE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::algebra {

// Where the parts of the union are in one operand; kNone: it has no such part.
struct Places {
  std::vector<uint32_t> metric, path, location;
};

struct Union {
  epitome::Profile definitions;
  std::vector<Places> operands;
  std::vector<std::string> notes;  // sentences: what does not fit together and is left out
};

enum class Conflict : uint8_t {
  kLeaveOut,   // a metric that adds up in one operand and is a minimum in another, or has another unit
  kFirstWins,  // every metric is taken from the first operand that has it, and from no other
};

// Definitions that archive::CheckDefinitions accepts, in preorder. At least one.
Union Unite(const std::vector<const epitome::Profile*>& operands, Conflict conflict = Conflict::kLeaveOut);

namespace internal {

using Maps = std::vector<std::vector<uint32_t>>;  // by operand: its number -> that of the union

// A construct of OpenMP by what stays when its line moves; without a key it is none.
struct Construct {
  std::string key;  // kind, file without folders, function around it
  int line = 0;     // from the beginning of that function, where it is known
};
std::vector<Construct> Constructs(const epitome::Profile& profile);  // by region
// Of each of the few, in order, its partner among the many, in order: the distances are as small as can be together.
std::vector<uint32_t> Align(const std::vector<int>& few, const std::vector<int>& many);
std::vector<std::pair<uint32_t, uint32_t>> MatchConstructs(const std::vector<Construct>& own,
                                                           const std::vector<Construct>& united);

Maps UniteRegions(const std::vector<const epitome::Profile*>& operands, std::vector<epitome::Region>* regions);
Maps UniteCallPaths(const std::vector<const epitome::Profile*>& operands, const Maps& regions,
                    std::vector<epitome::CallPath>* paths);
// Fills machine, nodes, processes and locations. Where the operands ran on different nodes there is one node for all.
Maps UniteSystems(const std::vector<const epitome::Profile*>& operands, epitome::Profile* united);
// The root that stands for the program as a whole: kNone where there is none, or more than one.
uint32_t ProgramRoot(const epitome::Profile& profile);

}  // namespace internal
}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_UNITE_H_
