// SPDX-License-Identifier: BSD-3-Clause
// The condensed events of an archive's trace, for one replay: read by the process itself, by threads beside, or by
// helpers.
#ifndef EPIK_ANALYSIS_DRIVERS_READING_H_
#define EPIK_ANALYSIS_DRIVERS_READING_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/clocks/corrections.h"
#include "analysis/drivers/helpers.h"
#include "archive/trace/trace_archive.h"

namespace epik::drivers {

struct Workers {
  unsigned threads = 1;        // of this process, with the one that replays
  Helpers* helpers = nullptr;  // other processes; null: none
};

// As many threads as pay for this trace.
unsigned ThreadsFor(const archive::TraceArchive& traces);

class Reading {
 public:
  // Archive and world outlive it.
  Reading(const archive::TraceArchive& traces, const replay::World& world, clocks::Corrections corrections,
          const Workers& workers);
  ~Reading();
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Once. They end before the reading does.
  std::vector<std::unique_ptr<replay::EventSource>> Sources();
  // What was wrong, in the order of the locations. After all sources have ended.
  std::vector<std::string> Damage();

 private:
  const Workers workers_;
  const clocks::Corrections corrections_;
  clocks::RepairedTime time_;
  std::vector<std::vector<std::string>> damage_;
  std::vector<std::unique_ptr<replay::EventSource>> sources_;
  std::optional<Lanes> lanes_;
};

// What a helper of that archive does, until it is dismissed: its exit status.
int HelpToRead(Link* link, const std::string& archive);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_READING_H_
