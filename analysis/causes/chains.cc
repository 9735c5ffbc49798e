// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/causes/chains.h"

#include <algorithm>

namespace epik::causes {

namespace {

constexpr size_t kMostLinks = 8;

// The cause that most of the time comes from. Null when the chain has all causes already.
const std::pair<const Cause, CauseFacts>* Largest(const std::map<Cause, CauseFacts>& causes, const Chain& chain) {
  const std::pair<const Cause, CauseFacts>* largest = nullptr;
  for (const auto& cause : causes) {
    const auto is_it = [&](const Chain::Link& link) { return link.cause == cause.first; };
    const bool been = std::any_of(chain.links.begin(), chain.links.end(), is_it);
    if (!been && (largest == nullptr || cause.second.ns > largest->second.ns)) largest = &cause;
  }
  return largest;
}

Chain Follow(const Flow& flow, const GroupFacts& facts) {
  Chain chain{flow.waits, facts.ns, facts.instances, {}};
  const std::map<Cause, CauseFacts>* causes = &flow.causes;
  int64_t ns = facts.ns;
  while (chain.links.size() < kMostLinks) {
    const auto* largest = Largest(*causes, chain);
    if (largest == nullptr) break;
    int64_t all = 0;
    for (const auto& [cause, its] : *causes) all += its.ns;
    ns = all > 0 ? static_cast<int64_t>(static_cast<__int128>(ns) * largest->second.ns / all) : 0;
    chain.links.push_back({largest->first, ns, largest->second.more});
    if (!largest->first.waited) break;
    const auto next = flow.further.find({largest->first.location, largest->first.path, largest->first.kind});
    if (next == flow.further.end()) break;
    causes = &next->second;
  }
  return chain;
}

}  // namespace

std::vector<Chain> FindChains(const Delays& delays) {
  std::vector<Chain> chains;
  for (const Flow& flow : delays.flows) chains.push_back(Follow(flow, delays.groups.at(flow.waits)));
  return chains;
}

}  // namespace epik::causes
