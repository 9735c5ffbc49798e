// SPDX-License-Identifier: BSD-3-Clause
// Leaves out calls without waits and without records, except for tests of requests and for calls that open a window of
// the trace. Their time, by call path, comes with the next event (EventSource::skipped). This needs only the location
// itself, so threads and processes can share the work. Replay finds the same facts in both streams. If threads wait for
// locks of libc, leaves out only short calls, and keeps the call after a thread got a lock, because only another thread
// tells when the lock was given back.
#ifndef EPIK_ANALYSIS_REPLAY_CONDENSER_H_
#define EPIK_ANALYSIS_REPLAY_CONDENSER_H_

#include <memory>
#include <vector>

#include "analysis/replay/levels.h"
#include "analysis/replay/path_times.h"
#include "analysis/replay/source.h"
#include "analysis/replay/time_model.h"

namespace epik::replay {

class Condenser : public EventSource {
 public:
  Condenser(std::unique_ptr<EventSource> source, const World* world, uint32_t location, TimeModel* time)
      : source_(std::move(source)),
        process_(world->processes[world->locations[location].process]),
        most_ns_(process_.waits_for_locks ? kMostNs : INT64_MAX),
        location_(location),
        time_(time) {}
  bool Next(archive::Event* event) override;

 private:
  struct Open {
    uint64_t entered;
    uint32_t node, path;
    uint32_t time;        // its place in times_ …
    uint32_t inner_time;  // … and that of the last frame that was open in it
    bool made_up;
    bool folded;  // it is no call of its own
    bool keeps;   // frames right below it are told
  };
  bool Tell(archive::Event* event);
  bool Skip(const archive::Event& event);
  bool SkipEnter(const archive::Event& event);
  bool SkipExit();
  bool IsFine() const { return fine_ > 0 || ns_ - told_until_ > most_ns_; }
  void Charge();
  void Apply(const archive::Event& event);
  void TellSkipped();
  bool End(archive::Event* event);

  static constexpr size_t kMostTimes = 4096;
  static constexpr int64_t kMostNs = 1000000;

  std::unique_ptr<EventSource> source_;
  const Process& process_;
  const int64_t most_ns_;  // of events that are left out in one piece
  uint32_t location_;
  TimeModel* time_;
  std::vector<Open> frames_;
  size_t told_ = 0;      // the number of frames_ whose begin was told
  archive::Event held_;  // comes after all frames around it
  bool holds_ = false;
  Open entering_{};  // the frame that the next told event enters
  int64_t ns_ = 0;   // of the last event that was read
  PathTimes times_;
  std::vector<PathTime> given_;
  int64_t now_ = INT64_MIN;  // time is charged until here
  int64_t told_until_ = 0;   // time of the last event that was told
  uint32_t fine_ = 0;        // the number of next events that are all told
  uint64_t read_ = 0;        // events since the last one that was told
  uint64_t last_time_ = 0;
  bool ended_ = false;
};

}  // namespace epik::replay

#endif  // EPIK_ANALYSIS_REPLAY_CONDENSER_H_
