// SPDX-License-Identifier: BSD-3-Clause
// The time that processes waited in an interval, from calls that ended in it and from calls that still last. The part
// of a call that an earlier interval has shown is not counted again when the call ends.
#ifndef EPIK_TOOLS_MONITOR_WAITING_H_
#define EPIK_TOOLS_MONITOR_WAITING_H_

namespace epik::monitor {

class Waiting {
 public:
  // Takes the reading at `time`. ended: seconds that all processes waited in calls that have ended since the reading
  // before; lasting: seconds so far in calls that have not ended. Returns the seconds since the reading before, which
  // are no more than `most`.
  double Add(double time, double ended, double lasting, double most);

 private:
  double ended_ = 0, shown_ = 0;  // of all intervals so far
  bool has_begun_ = false;
  int late_ = 0;  // readings that did not bring what was shown, and since when
  double since_ = 0;
};

}  // namespace epik::monitor

#endif  // EPIK_TOOLS_MONITOR_WAITING_H_
