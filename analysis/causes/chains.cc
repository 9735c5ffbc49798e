// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/chains.h"

#include <algorithm>

namespace epik::causes {

namespace {

constexpr size_t kMostLinks = 8;

// The cause that most of a group's time comes from. Null when the chain has all causes already.
const std::pair<const Cause, CauseFacts>* Largest(const std::map<Cause, CauseFacts>& causes, const Chain& chain) {
  const std::pair<const Cause, CauseFacts>* largest = nullptr;
  for (const auto& cause : causes) {
    const auto is_it = [&](const Chain::Link& link) { return link.cause == cause.first; };
    const bool been = std::any_of(chain.links.begin(), chain.links.end(), is_it);
    if (!been && (largest == nullptr || cause.second.ns > largest->second.ns)) largest = &cause;
  }
  return largest;
}

Chain Follow(const Delays& delays, const Group& waits, const GroupFacts& facts) {
  Chain chain{waits, facts.ns, facts.instances, {}};
  Group group = waits;
  int64_t flows = facts.ns;
  while (chain.links.size() < kMostLinks) {
    const auto causes = delays.causes.find(group);
    if (causes == delays.causes.end()) break;
    const auto* largest = Largest(causes->second, chain);
    if (largest == nullptr) break;
    const int64_t all = delays.groups.at(group).ns;
    flows = all > 0 ? static_cast<int64_t>(static_cast<__int128>(flows) * largest->second.ns / all) : 0;
    chain.links.push_back({largest->first, flows, largest->second.more});
    if (!largest->first.waited) break;
    group = {largest->first.location, largest->first.path, largest->first.kind};
  }
  return chain;
}

}  // namespace

std::vector<Chain> FindChains(const Delays& delays, size_t most) {
  std::vector<const std::pair<const Group, GroupFacts>*> groups;
  for (const auto& group : delays.groups) {
    if (group.first.kind != kInit) groups.push_back(&group);
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto* one, const auto* other) { return one->second.ns > other->second.ns; });
  if (groups.size() > most) groups.resize(most);
  std::vector<Chain> chains;
  for (const auto* group : groups) chains.push_back(Follow(delays, group->first, group->second));
  return chains;
}

}  // namespace epik::causes
