// SPDX-License-Identifier: BSD-3-Clause
// Hosts, processes and threads that are the same in several operands.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/algebra/unite.h"

namespace epik::algebra::internal {

using archive::Host;
using archive::Location;
using archive::Process;
using archive::Profile;
using archive::Topology;

namespace {

// Gives each item a number by its key. When an operand has a key several times, a count tells these items apart.
template <class Key>
class Numbers {
 public:
  // Calls use for each item of one operand; `items` calls it in the operand's order.
  std::pair<Key, uint32_t> Count(const Key& key) { return {key, seen_[key]++}; }
  void NextOperand() { seen_.clear(); }

 private:
  std::map<Key, uint32_t> seen_;
};

Maps UniteHosts(const std::vector<const Profile*>& operands, std::vector<Host>* hosts) {
  std::map<std::pair<std::string, uint32_t>, uint32_t> number;
  Numbers<std::string> numbers;
  Maps maps(operands.size());
  for (size_t o = 0; o < operands.size(); ++o) {
    numbers.NextOperand();
    for (const Host& host : operands[o]->hosts) {
      const auto [found, fresh] = number.emplace(numbers.Count(host.name), hosts->size());
      if (fresh) hosts->push_back(host);
      maps[o].push_back(found->second);
    }
  }
  return maps;
}

// By rank, in the order of the ranks.
Maps UniteProcesses(const std::vector<const Profile*>& operands, const Maps& hosts, bool* same_hosts,
                    std::vector<Process>* processes) {
  std::map<std::pair<int, uint32_t>, Process> by_rank;
  std::vector<std::vector<std::pair<int, uint32_t>>> keys(operands.size());
  Numbers<int> numbers;
  for (size_t o = 0; o < operands.size(); ++o) {
    numbers.NextOperand();
    for (Process process : operands[o]->processes) {
      process.host = hosts[o][process.host];
      keys[o].push_back(numbers.Count(process.rank));
      const Process& first = by_rank.emplace(keys[o].back(), process).first->second;
      *same_hosts = *same_hosts && first.host == process.host;
    }
  }
  std::map<std::pair<int, uint32_t>, uint32_t> number;
  for (const auto& [key, process] : by_rank) {
    number[key] = static_cast<uint32_t>(processes->size());
    processes->push_back(process);
  }
  Maps maps(operands.size());
  for (size_t o = 0; o < operands.size(); ++o) {
    for (const auto& key : keys[o]) maps[o].push_back(number[key]);
  }
  return maps;
}

// Maps topologies to the united locations. Equal topologies become one; all different ones are kept.
void UniteTopologies(const std::vector<const Profile*>& operands, const Maps& locations, Profile* united) {
  for (size_t o = 0; o < operands.size(); ++o) {
    for (const Topology& topology : operands[o]->topologies) {
      const size_t width = topology.dimensions.size();
      std::map<uint32_t, size_t> places;
      for (size_t i = 0; i < topology.locations.size(); ++i) places.emplace(locations[o][topology.locations[i]], i);
      Topology moved{topology.name, topology.dimensions, {}, {}};
      for (const auto& [location, i] : places) {
        moved.locations.push_back(location);
        for (size_t d = 0; d < width; ++d) moved.coordinates.push_back(topology.coordinates[i * width + d]);
      }
      const auto end = united->topologies.end();
      if (std::find(united->topologies.begin(), end, moved) == end) united->topologies.push_back(std::move(moved));
    }
  }
}

}  // namespace

Maps UniteSystems(const std::vector<const Profile*>& operands, Profile* united) {
  united->machine = operands[0]->machine;
  bool same_hosts = true;
  for (const Profile* operand : operands) same_hosts = same_hosts && operand->machine == united->machine;
  if (!same_hosts) united->machine = "machine";
  const Maps hosts = UniteHosts(operands, &united->hosts);
  const Maps processes = UniteProcesses(operands, hosts, &same_hosts, &united->processes);
  if (!same_hosts) {
    united->hosts = {{"node0"}};
    for (Process& process : united->processes) process.host = 0;
  }
  using Place = std::pair<uint32_t, int>;
  std::map<std::pair<Place, uint32_t>, Location> by_place;
  std::vector<std::vector<std::pair<Place, uint32_t>>> keys(operands.size());
  Numbers<Place> numbers;
  for (size_t o = 0; o < operands.size(); ++o) {
    numbers.NextOperand();
    for (Location location : operands[o]->locations) {
      location.process = processes[o][location.process];
      keys[o].push_back(numbers.Count({location.process, location.thread}));
      by_place.emplace(keys[o].back(), location);
    }
  }
  std::map<std::pair<Place, uint32_t>, uint32_t> number;
  for (const auto& [key, location] : by_place) {
    number[key] = static_cast<uint32_t>(united->locations.size());
    united->locations.push_back(location);
  }
  Maps maps(operands.size());
  for (size_t o = 0; o < operands.size(); ++o) {
    for (const auto& key : keys[o]) maps[o].push_back(number[key]);
  }
  UniteTopologies(operands, maps, united);
  return maps;
}

}  // namespace epik::algebra::internal
