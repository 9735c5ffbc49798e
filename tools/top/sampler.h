// SPDX-License-Identifier: BSD-3-Clause
// Computes from readings of a running process the changes between them. A call path of all threads is one line.
#ifndef EPIK_TOOLS_TOP_SAMPLER_H_
#define EPIK_TOOLS_TOP_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "archive/image/process_image.h"
#include "archive/parts/event_kinds.h"

namespace epik::top {

// The arena at one moment.
struct Reading {
  archive::ProcessImage image;
  uint64_t ticks = 0;           // that moment, on the program's timer
  double seconds_per_tick = 0;  // the scale that is known by then
};

inline constexpr uint32_t kNoPath = 0xffffffff;

struct Figures {
  double exclusive = 0, inclusive = 0;  // seconds, calls that have not returned included
  uint64_t calls = 0;                   // entered
};

struct PathLine {
  uint32_t path;  // Sampler::PathKeys
  Figures now;    // since the reading before
  Figures total;
};

struct ThreadLine {
  uint32_t number = 0;
  uint32_t thread_id = 0;   // of the operating system
  bool running = false;     // false: has ended, its place is free
  uint32_t path = kNoPath;  // its present call path
  double in_path = 0;       // for how long, in seconds
  uint64_t calls = 0;       // since the reading before
  uint64_t total_calls = 0;
};

struct Sample {
  double seconds = 0;  // since the reading before; for the first reading: since the start
  double total_seconds = 0;
  uint64_t calls = 0, total_calls = 0;
  double cost = 0, total_cost = 0;  // CPU seconds that measuring took, as the digest of the run will have them …
  double computed = 0, total_computed = 0;  // … and in which threads computed, with that cost and without waits
  std::vector<PathLine> paths;              // paths that were ever entered, in the order in which they were first seen
  std::vector<ThreadLine> threads;          // by number
};

class Sampler {
 public:
  // with_cost: computes what measuring cost, which takes longer than all else.
  explicit Sampler(bool with_cost = true) : with_cost_(with_cost) {}

  // REQUIRES: readings of one process, in the order they were taken.
  Sample Add(const Reading& reading);

  // The keys of a call path from the root on, without metrics.
  std::vector<event::Key> PathKeys(uint32_t path) const;

 private:
  struct Path {
    uint32_t parent;
    event::Key key;
  };

  uint32_t Child(uint32_t parent, event::Key key);
  // The times of `totals` are in ticks.
  void AddLocation(const Reading& reading, const archive::LocationImage& location, const archive::EventKinds& kinds,
                   std::vector<Figures>* totals, Sample* sample);
  void AddLines(const std::vector<Figures>& totals, double seconds_per_tick, Sample* sample);

  const bool with_cost_;
  std::vector<Path> paths_;
  std::map<std::pair<uint32_t, event::Key>, uint32_t> known_;
  std::vector<Figures> before_;                          // by path, times in ticks
  std::unordered_map<uint32_t, uint64_t> calls_before_;  // by number of the thread
  uint64_t ticks_before_ = 0;
  double cost_before_ = 0, computed_before_ = 0;
  bool first_ = true;
};

}  // namespace epik::top

#endif  // EPIK_TOOLS_TOP_SAMPLER_H_
