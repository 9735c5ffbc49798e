// SPDX-License-Identifier: BSD-3-Clause
// The time that some members take longer than others to leave an operation, after all had come to it.
#ifndef EPIK_ANALYSIS_PATTERNS_COMPLETION_H_
#define EPIK_ANALYSIS_PATTERNS_COMPLETION_H_

#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class Completion : public Pattern {
 public:
  unsigned wants() const override { return kCollectives; }
  Completion(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : Pattern(info, number, severities), role_(role) {}

  void Met(const replay::Collective& collective) override {
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

 private:
  bool TakesPart(const replay::Member& member) const {
    return role_ != replay::Role::kAllToAll || (member.in != 0 && member.out != 0);
  }

  replay::Role role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_COMPLETION_H_
