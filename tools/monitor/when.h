// SPDX-License-Identifier: BSD-3-Clause
// "balance<0.7 for 10s": a figure of the monitor, a threshold, and how long the condition must hold before the action.
// The action comes once each time the condition begins to hold.
#ifndef EPIK_TOOLS_MONITOR_WHEN_H_
#define EPIK_TOOLS_MONITOR_WHEN_H_

#include <string>

#include "tools/monitor/job.h"

namespace epik::monitor {

class When {
 public:
  // False: *error names what is accepted.
  static bool Parse(const std::string& text, When* when, std::string* error);

  // Whether it is time to act. Moments come in order.
  bool IsDue(const Moment& moment);

  const std::string& text() const { return text_; }
  bool NeedsRegion() const { return figure_ == Figure::kRate || NeedsTotal(); }
  bool NeedsTotal() const { return figure_ == Figure::kRemaining; }

 private:
  enum class Figure { kBalance, kWaited, kDiscarded, kLate, kRate, kRemaining, kStanding };

  // Whether the moment has that figure.
  bool ValueOf(const Moment& moment, double* value) const;

  std::string text_;
  Figure figure_ = Figure::kBalance;
  bool below_ = true;
  double threshold_ = 0;
  double seconds_ = 0;
  double since_ = -1;  // moment from which on the condition holds; negative: it does not hold
  bool done_ = false;
};

// Starts `sh -c command` and does not wait for it. It has `job` as EPK_MONITOR_JOB. False: it could not be started.
bool StartCommand(const std::string& command, const std::string& job);

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_WHEN_H_
