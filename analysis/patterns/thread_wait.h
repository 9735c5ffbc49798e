// SPDX-License-Identifier: BSD-3-Clause
// Threads that wait for other threads in libc.
#ifndef EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_
#define EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

class ThreadWait : public Pattern {
 public:
  using What = replay::ThreadWait::What;

  unsigned wants() const override { return kTeams; }
  ThreadWait(const PatternInfo& info, uint32_t number, Severities* severities, What what)
      : Pattern(info, number, severities), what_(what) {}

  // A call may wait for several things of one kind, one after the other.
  void Waited(const replay::ThreadWait& wait) override;

 private:
  What what_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_THREAD_WAIT_H_
