// SPDX-License-Identifier: BSD-3-Clause
// Counts how many processes each process synchronises with at the ends of epochs of one-sided communication.
#ifndef EPIK_ANALYSIS_PATTERNS_PAIR_COUNTS_H_
#define EPIK_ANALYSIS_PATTERNS_PAIR_COUNTS_H_

#include "analysis/patterns/severities.h"
#include "analysis/replay/observer.h"

namespace epik::patterns {

class PairCounts : public replay::Observer {
 public:
  explicit PairCounts(Severities* severities) : severities_(severities) {}
  unsigned wants() const override { return kWindows; }
  void Paired(const replay::PairSync& pairs) override {
    const replay::Call& call = pairs.call;
    severities_->AddCount(Count::kPairSync, call.location, call.path, pairs.partners);
    severities_->AddCount(Count::kPairSyncUnneeded, call.location, call.path, pairs.unneeded);
  }

 private:
  Severities* severities_;
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_PAIR_COUNTS_H_
