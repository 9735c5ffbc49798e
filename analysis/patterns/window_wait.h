// SPDX-License-Identifier: BSD-3-Clause
// Calls of one-sided communication that wait for others: those that access memory, and those that begin or end an
// epoch.
#ifndef EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_

#include <algorithm>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class WindowWait : public Pattern {
 public:
  unsigned wants() const override { return kWindows; }
  WindowWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::WindowWait::Why why,
             bool in_access)
      : Pattern(info, number, severities), why_(why), in_access_(in_access) {}

  void Synchronised(const replay::WindowWait& wait) override {
    const replay::Call& call = wait.call;
    if (wait.why != why_ || (call.operation.role == replay::Role::kAccess) != in_access_) return;
    if (call.operation.role == replay::Role::kTest) return;
    AddWait(call.location, call.path, call.enter, call.enter, std::min(wait.ready(), call.leave));
  }

 private:
  replay::WindowWait::Why why_;
  bool in_access_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_WINDOW_WAIT_H_
