// SPDX-License-Identifier: BSD-3-Clause
#include "tools/resolve/merge.h"

#include <algorithm>
#include <map>
#include <utility>

namespace epik::resolve {

using archive::CallPath;
using archive::kNone;
using archive::Profile;
using archive::Type;
using archive::Values;

namespace {

// The numbers that stay, without gaps; which[r] is the new number of region r.
std::vector<uint32_t> Renumber(const std::vector<uint32_t>& same_as, Profile* profile) {
  std::vector<uint32_t> which(same_as.size());
  std::vector<archive::Region> kept;
  for (uint32_t r = 0; r < same_as.size(); ++r) {
    if (same_as[r] != r) {
      which[r] = which[same_as[r]];
      continue;
    }
    which[r] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(profile->regions[r]));
  }
  profile->regions = std::move(kept);
  return which;
}

// Merges siblings of the same region. place[p] is where call path p is now; parents come first, as before.
std::vector<uint32_t> MergePaths(const std::vector<uint32_t>& which, Profile* profile) {
  Profile merged;  // only its call paths, in the order in which they are found
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> known;
  std::vector<uint32_t> met;
  for (const CallPath& path : profile->call_paths) {
    const uint32_t parent = path.parent == kNone ? kNone : met[path.parent];
    const uint32_t region = which[path.region];
    const auto [at, is_new] = known.try_emplace({parent, region}, static_cast<uint32_t>(merged.call_paths.size()));
    if (is_new) merged.call_paths.push_back({region, parent});
    met.push_back(at->second);
  }
  const Profile::Links links = merged.MakeLinks();
  std::vector<uint32_t> order(merged.call_paths.size()), pending(links.roots.rbegin(), links.roots.rend());
  std::vector<CallPath> paths;
  while (!pending.empty()) {
    const uint32_t path = pending.back();
    pending.pop_back();
    order[path] = static_cast<uint32_t>(paths.size());
    const uint32_t parent = merged.call_paths[path].parent;
    paths.push_back({merged.call_paths[path].region, parent == kNone ? kNone : order[parent]});
    std::vector<uint32_t> children;
    for (uint32_t c = links.first_child[path]; c != kNone; c = links.next_sibling[c]) children.push_back(c);
    pending.insert(pending.end(), children.rbegin(), children.rend());
  }
  profile->call_paths = std::move(paths);
  for (uint32_t& place : met) place = order[place];
  return met;
}

void AddCell(const Values& from, uint32_t path, uint32_t location, uint32_t to, Values* sum) {
  switch (from.type()) {
    case Type::kUint64: sum->Set(to, location, sum->Integer(to, location) + from.Integer(path, location)); return;
    case Type::kMin: sum->Set(to, location, std::min(sum->Real(to, location), from.Real(path, location))); return;
    case Type::kMax: sum->Set(to, location, std::max(sum->Real(to, location), from.Real(path, location))); return;
    case Type::kDouble: sum->Set(to, location, sum->Real(to, location) + from.Real(path, location)); return;
  }
}

}  // namespace

void MergeRegions(const std::vector<uint32_t>& same_as, Profile* profile) {
  const std::vector<uint32_t> which = Renumber(same_as, profile);
  const std::vector<uint32_t> place = MergePaths(which, profile);
  for (Values& values : profile->values) {
    Values sum(values.type(), profile->call_paths.size(), profile->locations.size());
    for (uint32_t path = 0; path < place.size(); ++path) {
      if (!values.Has(path)) continue;
      for (uint32_t l = 0; l < profile->locations.size(); ++l) AddCell(values, path, l, place[path], &sum);
    }
    values = std::move(sum);
  }
}

}  // namespace epik::resolve
