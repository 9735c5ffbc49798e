// SPDX-License-Identifier: BSD-3-Clause
// Where the events of one location come from.
#ifndef EPIK_ANALYSIS_REPLAY_SOURCE_H_
#define EPIK_ANALYSIS_REPLAY_SOURCE_H_

#include "archive/trace/event.h"

namespace epik::replay {

class EventSource {
 public:
  virtual ~EventSource() = default;
  // The next event, ordered in time and nested; false at the end.
  virtual bool Next(epilog::Event* event) = 0;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_SOURCE_H_
