// SPDX-License-Identifier: BSD-3-Clause
// Regions and call paths that are the same in several operands.
#include <algorithm>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "analysis/algebra/unite.h"

namespace epik::algebra::internal {

using archive::CallPath;
using archive::kNone;
using archive::Profile;
using archive::Region;

namespace {

using List = std::vector<uint32_t>;

std::string_view WholeName(const Region& region) { return region.file; }
std::string_view BaseName(const Region& region) {
  return std::string_view(region.file).substr(region.file.rfind('/') + 1);
}

List InOrder(List list, const std::vector<Region>& regions) {
  std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
    const Region &x = regions[a], &y = regions[b];
    return std::tie(x.file, x.begin_line, x.mangled, a) < std::tie(y.file, y.begin_line, y.mangled, b);
  });
  return list;
}

// Matches one operand's regions with those of the operands before it. Two regions of one operand never become one.
class RegionMatch {
 public:
  RegionMatch(const std::vector<Region>& own, const std::vector<Region>& united)
      : own_(own), united_(united), map_(own.size(), kNone), taken_(united.size()) {}

  void Match(uint32_t own, uint32_t united) {
    map_[own] = united;
    taken_[united] = true;
  }

  // Matches two lists of regions that have the same name.
  void MatchSameName(const List& own, const List& united) {
    if (own.size() == 1 && united.size() == 1) {
      if (map_[own[0]] == kNone && !taken_[united[0]]) Match(own[0], united[0]);
      return;
    }
    for (const auto key : {WholeName, BaseName}) {
      std::unordered_map<std::string_view, List> free;  // regions without a partner; the last of a list is matched next
      for (const uint32_t r : InOrder(united, united_)) {
        if (!taken_[r]) free[key(united_[r])].push_back(r);
      }
      for (auto& [file, list] : free) std::reverse(list.begin(), list.end());
      for (const uint32_t r : InOrder(own, own_)) {
        const auto found = free.find(key(own_[r]));
        if (map_[r] != kNone || found == free.end() || found->second.empty()) continue;
        Match(r, found->second.back());
        found->second.pop_back();
      }
    }
  }

  List& map() { return map_; }

 private:
  const std::vector<Region>& own_;
  const std::vector<Region>& united_;
  List map_;
  std::vector<bool> taken_;
};

std::unordered_map<std::string_view, List> ByName(const std::vector<Region>& regions) {
  std::unordered_map<std::string_view, List> lists;
  for (uint32_t r = 0; r < regions.size(); ++r) lists[regions[r].name].push_back(r);
  return lists;
}

uint64_t Key(uint32_t node, uint32_t region) { return uint64_t{node} << 32 | region; }

// The growing union of call trees. A node may have several children of one region; the n-th of an operand matches the
// n-th of the union.
class Tree {
 public:
  List Add(const Profile& operand, const List& regions) {
    List node_of(operand.call_paths.size());
    std::unordered_map<uint64_t, uint32_t> last;  // node and region -> the child that was matched last
    for (uint32_t p = 0; p < node_of.size(); ++p) {
      const CallPath& path = operand.call_paths[p];
      const uint32_t parent = path.parent == kNone ? kNone : node_of[path.parent];
      const uint64_t key = Key(parent, regions[path.region]);
      const auto [found, first] = last.try_emplace(key, kNone);
      uint32_t& slot = first ? first_same_.try_emplace(key, kNone).first->second : nodes_[found->second].next_same;
      if (slot == kNone) {
        const auto fresh = static_cast<uint32_t>(nodes_.size());
        slot = fresh;  // taken before the nodes move
        Append(parent, regions[path.region]);
        found->second = fresh;
      } else {
        found->second = slot;
      }
      node_of[p] = found->second;
    }
    return node_of;
  }

  // Depth-first preorder; returns node -> call path.
  List Number(std::vector<CallPath>* paths) const {
    List number(nodes_.size(), kNone);
    uint32_t at = first_root_;
    while (at != kNone) {
      number[at] = static_cast<uint32_t>(paths->size());
      const uint32_t parent = nodes_[at].parent;
      paths->push_back({nodes_[at].region, parent == kNone ? kNone : number[parent]});
      uint32_t next = nodes_[at].first_child;
      while (next == kNone && at != kNone) {
        next = nodes_[at].next_sibling;
        at = nodes_[at].parent;
      }
      at = next;
    }
    return number;
  }

 private:
  struct Node {
    uint32_t region, parent;
    uint32_t first_child = kNone, last_child = kNone, next_sibling = kNone;
    uint32_t next_same = kNone;  // the next sibling of the same region
  };

  void Append(uint32_t parent, uint32_t region) {
    const auto fresh = static_cast<uint32_t>(nodes_.size());
    uint32_t& last = parent == kNone ? last_root_ : nodes_[parent].last_child;
    uint32_t& link = last != kNone     ? nodes_[last].next_sibling
                     : parent == kNone ? first_root_
                                       : nodes_[parent].first_child;
    link = fresh;
    last = fresh;
    nodes_.push_back({region, parent});
  }

  std::vector<Node> nodes_;
  uint32_t first_root_ = kNone, last_root_ = kNone;
  std::unordered_map<uint64_t, uint32_t> first_same_;  // node and region -> its first child of that region
};

}  // namespace

uint32_t ProgramRoot(const Profile& profile) {
  uint32_t root = kNone;
  for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
    if (profile.call_paths[p].parent != kNone) continue;
    const Region& region = profile.regions[profile.call_paths[p].region];
    // Files of Score-P have these trees beside the program's.
    if (region.role != "artificial" || region.name == "TASKS" || region.name == "THREADS") continue;
    if (root != kNone) return kNone;
    root = p;
  }
  return root;
}

Maps UniteRegions(const std::vector<const Profile*>& operands, std::vector<Region>* regions) {
  Maps maps;
  const uint32_t program = ProgramRoot(*operands[0]);
  std::vector<Construct> known;  // of the union's regions
  for (const Profile* operand : operands) {
    RegionMatch match(operand->regions, *regions);
    // A program that was built twice may be called solver_old and solver_new.
    const uint32_t root = ProgramRoot(*operand);
    if (!maps.empty() && program != kNone && root != kNone) {
      match.Match(operand->call_paths[root].region, maps[0][operands[0]->call_paths[program].region]);
    }
    const std::vector<Construct> constructs = Constructs(*operand);
    for (const auto& [mine, theirs] : MatchConstructs(constructs, known)) match.Match(mine, theirs);
    const auto own = ByName(operand->regions), united = ByName(*regions);
    for (const auto& [name, list] : own) {
      const auto found = united.find(name);
      if (found != united.end()) match.MatchSameName(list, found->second);
    }
    List& map = match.map();
    const size_t before = regions->size();
    for (uint32_t r = 0, next = static_cast<uint32_t>(before); r < map.size(); ++r) {
      if (map[r] == kNone) map[r] = next++;
    }
    for (uint32_t r = 0; r < map.size(); ++r) {
      if (map[r] != regions->size()) continue;
      regions->push_back(operand->regions[r]);
      known.push_back(constructs[r]);
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

Maps UniteCallPaths(const std::vector<const Profile*>& operands, const Maps& regions, std::vector<CallPath>* paths) {
  Tree tree;
  Maps maps;
  for (size_t o = 0; o < operands.size(); ++o) maps.push_back(tree.Add(*operands[o], regions[o]));
  const List number = tree.Number(paths);
  for (List& map : maps) {
    for (uint32_t& node : map) node = number[node];
  }
  return maps;
}

}  // namespace epik::algebra::internal
