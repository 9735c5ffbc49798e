// SPDX-License-Identifier: BSD-3-Clause
// Late senders whose wait another order of receives would have shortened. The last waits of each location are
// remembered. Such a wait had the wrong order if a message that is received later was sent earlier.
#ifndef EPIK_ANALYSIS_PATTERNS_WRONG_ORDER_H_
#define EPIK_ANALYSIS_PATTERNS_WRONG_ORDER_H_

#include <deque>
#include <vector>

#include "analysis/patterns/pattern.h"

namespace epik::patterns {

// A part of these waits, by who sent the earlier message. WrongOrderPattern adds to it, so a message is looked at once.
class PartOfWrongOrder : public Pattern {
 public:
  unsigned wants() const override { return 0; }
  using Pattern::Add;
  using Pattern::Pattern;
};

class WrongOrderPattern : public Pattern {
 public:
  WrongOrderPattern(uint32_t number, Severities* severities);
  unsigned wants() const override { return kMessages; }
  void Arrived(const replay::Call& call, std::span<const replay::Arrival> arrivals) override;

 private:
  struct Instance {
    int64_t sent;
    uint32_t sender, path;
    int64_t from, ns;
    bool empty;  // the message has no data
  };
  static constexpr size_t kRemembered = 100;
  struct Late {
    std::deque<Instance> instances;
    int64_t latest = INT64_MIN;  // no message of them was sent later
  };

  void FindLaterOnes(uint32_t location, const replay::Arrival& arrival);

  PartOfWrongOrder different_, same_;
  std::vector<Late> late_;  // by location
};

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_WRONG_ORDER_H_
