// SPDX-License-Identifier: BSD-3-Clause
#include "archive/unify/topologies.h"

#include <string>
#include <unordered_map>

namespace epik::archive {

namespace {

// The most topologies in a profile. MPI_Cart_sub can make as many as a side of the grid is long.
constexpr size_t kMost = 256;

std::string DefaultName(const TopologyDefinition& of) {
  std::string name = "grid";
  for (size_t d = 0; d < of.dimensions.size(); ++d)
    name += (d == 0 ? " " : " x ") + std::to_string(of.dimensions[d].size);
  return name;
}

Topology ShapeOf(const TopologyDefinition& of) {
  Topology shape;
  shape.name = of.name.empty() ? DefaultName(of) : of.name;
  for (size_t d = 0; d < of.dimensions.size(); ++d) {
    shape.dimensions.push_back({d < of.dimension_names.size() ? of.dimension_names[d] : "",
                                static_cast<uint32_t>(of.dimensions[d].size), of.dimensions[d].periodic != 0});
  }
  return shape;
}

// Whether two processes of one job describe the topology in the same way.
bool Fits(const TopologyDefinition& place, const Topology& topology) {
  if (place.dimensions.size() != topology.dimensions.size()) return false;
  for (size_t d = 0; d < place.dimensions.size(); ++d) {
    const event::TopologyDimension& dimension = place.dimensions[d];
    if (static_cast<uint32_t>(dimension.size) != topology.dimensions[d].size) return false;
    if (dimension.coordinate < 0 || dimension.coordinate >= dimension.size) return false;
  }
  return true;
}

}  // namespace

size_t DescribeTopologies(const std::vector<ProcessFacts>& processes, Profile* profile) {
  std::vector<uint32_t> first(profile->processes.size(), kNone);
  for (size_t l = profile->locations.size(); l-- > 0;) first[profile->locations[l].process] = static_cast<uint32_t>(l);
  std::unordered_map<uint64_t, size_t> number;
  size_t left_out = 0;
  for (size_t p = 0; p < processes.size(); ++p) {
    if (first[p] == kNone) continue;  // it has no thread that could have a place
    for (const TopologyDefinition& place : processes[p].topologies) {
      const auto [at, is_new] = number.try_emplace(place.id, profile->topologies.size());
      if (is_new && profile->topologies.size() == kMost) at->second = kMost + left_out++;
      if (at->second >= kMost) continue;
      if (is_new) profile->topologies.push_back(ShapeOf(place));
      Topology& topology = profile->topologies[at->second];
      const bool twice = !topology.locations.empty() && topology.locations.back() == first[p];
      if (twice || !Fits(place, topology)) continue;
      topology.locations.push_back(first[p]);
      for (const event::TopologyDimension& dimension : place.dimensions) {
        topology.coordinates.push_back(static_cast<uint32_t>(dimension.coordinate));
      }
    }
  }
  return left_out;
}

}  // namespace epik::archive
