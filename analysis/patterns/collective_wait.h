// SPDX-License-Identifier: BSD-3-Clause
// Waiting in a collective operation for the last member that it needs: in the call itself, or in the call that
// completes the operation.
#ifndef EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class CollectiveWait : public Pattern {
 public:
  unsigned wants() const override { return kCollectives | kParts; }
  CollectiveWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : CollectiveWait(info, number, severities, role, role) {}
  CollectiveWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role,
                 replay::Role other_role)
      : Pattern(info, number, severities), role_(role), other_role_(other_role) {}

  void Met(const replay::Collective& collective) override;
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;

 private:
  replay::Role role_, other_role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_COLLECTIVE_WAIT_H_
