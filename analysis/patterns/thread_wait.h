// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for other ones in libc.
#ifndef EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class ThreadWait : public Pattern {
 public:
  unsigned wants() const override { return kTeams; }
  ThreadWait(const PatternInfo& info, uint32_t number, Severities* severities, replay::Role role)
      : Pattern(info, number, severities), role_(role) {}

  void Waited(const replay::ThreadWait& wait) override {
    const replay::Call& call = wait.call;
    if (call.operation.role == role_) Add(call.location, call.path, call.enter, call.leave - call.enter);
  }

 private:
  replay::Role role_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_
