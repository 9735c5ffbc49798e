// SPDX-License-Identifier: BSD-3-Clause
// Calls of one-sided communication that wait for others: those that access memory, and those that begin or end an
// epoch.
#ifndef EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class WindowWait : public Pattern {
 public:
  unsigned wants() const override { return kWindows; }
  WindowWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::WindowWait::Why why,
             bool in_access)
      : Pattern(info, number, severities), why_(why), in_access_(in_access) {}

  void Synchronised(const replay::WindowWait& wait) override;

 private:
  replay::WindowWait::Why why_;
  bool in_access_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_
