// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/completion.h"

#include <algorithm>

namespace epik::patterns {

void Completion::Met(const replay::Collective& collective) {
  if (collective.operation.role != role_ || !collective.IsWhole()) return;
  int64_t earliest_end = INT64_MAX;
  for (const replay::Member& member : collective.members) {
    if (TakesPart(member)) earliest_end = std::min(earliest_end, member.end);
  }
  for (const replay::Member& member : collective.members) {
    if (!TakesPart(member) || !member.needs || !member.knows_ready || member.immediate) continue;
    const int64_t from = std::max({earliest_end, member.ready, member.begin});
    AddWait(member.location, member.path, member.begin, from, member.end);
  }
}

bool Completion::TakesPart(const replay::Member& member) const {
  return role_ != replay::Role::kAllToAll || (member.in != 0 && member.out != 0);
}

}  // namespace epik::patterns
