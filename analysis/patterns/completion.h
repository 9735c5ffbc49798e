// SPDX-License-Identifier: BSD-3-Clause
// The time that some members take longer than others to leave an operation, after all had come to it.
#ifndef EPIK_ANALYSIS_PATTERNS_COMPLETION_H_
#define EPIK_ANALYSIS_PATTERNS_COMPLETION_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class Completion : public Pattern {
 public:
  unsigned wants() const override { return kCollectives; }
  Completion(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : Pattern(info, number, severities), role_(role) {}

  void Met(const replay::Collective& collective) override;

 private:
  bool TakesPart(const replay::Member& member) const;

  replay::Role role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_COMPLETION_H_
