// SPDX-License-Identifier: BSD-3-Clause
// Divides the time of one location among its bins while its events are read: each moment belongs to the innermost open
// call. Long calls are noted. This needs only the location itself, so threads can share the work.
#ifndef EPIK_ANALYSIS_TIMELINE_CHARGER_H_
#define EPIK_ANALYSIS_TIMELINE_CHARGER_H_

#include <cstdint>
#include <vector>

#include "analysis/replay/time_model.h"
#include "analysis/replay/world.h"
#include "analysis/timeline/bins.h"
#include "analysis/timeline/kinds.h"
#include "analysis/timeline/timeline.h"
#include "archive/trace/event.h"

namespace epik::timeline {

class Charger {
 public:
  // `kinds` are those of the call paths. All pointers outlive the charger. Calls of `long_from` events or more are
  // added to `long_calls`, `most` at most.
  Charger(const replay::World* world, uint32_t location, replay::TimeModel* time, const std::vector<Kind>* kinds,
          BinFiller* bins, uint64_t long_from, size_t most, std::vector<LongCall>* long_calls);

  // Takes an event; call it in the order of time.
  void Take(const archive::Event& event);
  // There are no more events: open calls last until the process ended.
  void Finish();

 private:
  struct Frame {
    uint32_t path;
    int64_t enter;
    uint64_t event;  // number
  };

  void Advance(int64_t ns);
  void Close(int64_t ns);

  const replay::Process& process_;
  uint32_t location_;
  replay::TimeModel* time_;
  const std::vector<Kind>& kinds_;
  BinFiller* bins_;
  uint64_t long_from_;
  size_t most_;
  std::vector<LongCall>* long_calls_;
  std::vector<Frame> stack_;
  uint64_t events_ = 0;
  uint64_t last_ = 0;  // ticks of the last event
  bool begun_ = false;
  bool is_off_ = false;  // the trace: what the thread did then is not known
};

}  // namespace epik::timeline

#endif  // EPIK_ANALYSIS_TIMELINE_CHARGER_H_
