// SPDX-License-Identifier: BSD-3-Clause
// Compares what two threads counted in the same call path: a delay says that one took longer there, counters why.
#ifndef EPIK_ANALYSIS_FINDINGS_DIFFERENCES_H_
#define EPIK_ANALYSIS_FINDINGS_DIFFERENCES_H_

#include <cstdint>
#include <vector>

#include "analysis/findings/findings.h"
#include "archive/profile/profile.h"

namespace epik::findings {

class Counted {
 public:
  // Of a profile with counters; without any, nothing differs. `trace` has the calls that the trace has: what others
  // counted is told of the call paths around them, as their time is.
  Counted(const archive::Profile& profile, const archive::Profile& trace);

  // Of which counters `who` had at least a tenth more than `other` in a call path of the trace, of the whole run; the
  // largest ratios first, and nothing when one of them never was in that call path.
  std::vector<Difference> Compare(uint32_t path, const Who& who, const Who& other) const;

 private:
  uint32_t ColumnOf(const Who& who) const;
  double Sum(uint32_t metric, uint32_t path, uint32_t column) const;

  const archive::Profile& profile_;
  std::vector<uint32_t> counters_;  // metrics
  std::vector<uint32_t> path_of_;   // by call path of the trace: the one of the same name in the profile, or kNone
  std::vector<bool> logged_;        // by call path
};

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_DIFFERENCES_H_
