// SPDX-License-Identifier: BSD-3-Clause
// Estimates when a region will have been entered a given number of times, from how fast it was entered lately.
#ifndef EPIK_TOOLS_MONITOR_PROGRESS_H_
#define EPIK_TOOLS_MONITOR_PROGRESS_H_

#include <deque>

namespace epik::monitor {

class Progress {
 public:
  // total: how often the region is entered until the end; 0: nobody knows.
  explicit Progress(double total) : total_(total) {}

  // visits: how often it has been entered so far. Times come in order.
  void Add(double time, double visits);

  // Whether the end can be estimated: the region is still entered, and not often enough so far.
  bool HasRemaining() const;
  // The region has been entered just as often as was said.
  bool IsDone() const { return total_ > 0 && visits_ == total_; }
  double Remaining() const;  // seconds from the last moment on

 private:
  struct Seen {
    double time, visits;
  };

  double total_, visits_ = 0;
  std::deque<Seen> seen_;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_PROGRESS_H_
