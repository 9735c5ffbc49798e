// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for something that another thread has.
#ifndef EPIK_ANALYSIS_PATTERNS_CONTENTION_H_
#define EPIK_ANALYSIS_PATTERNS_CONTENTION_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class Contention : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  Contention(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : Pattern(info, number, severities), role_(role) {}

  void Acquired(const replay::Acquisition& acquisition) override;

 private:
  replay::Role role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_CONTENTION_H_
