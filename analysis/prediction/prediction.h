// SPDX-License-Identifier: BSD-3-Clause
// Predicts how long a run would have lasted with other code, another network or another balance: the forward pass over
// its graph, with altered times.
#ifndef EPIK_ANALYSIS_PREDICTION_PREDICTION_H_
#define EPIK_ANALYSIS_PREDICTION_PREDICTION_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/approximation/placement.h"
#include "analysis/approximation/traced_run.h"
#include "analysis/prediction/wishes.h"

namespace epik::prediction {

struct Wishes {
  std::vector<Faster> faster;          // regions, with their callees
  std::optional<double> each;          // a sweep: the share that each call path's own time becomes
  std::string balance;                 // regions whose work all locations share evenly, with commas between them
  std::optional<NetworkWish> network;  // with ranks_per_host: the times of the class of messages that the trace lacks
  uint32_t ranks_per_host = 0;         // 0: ranks stay on their hosts
  bool locks_wait = true;
  bool without_measurement = false;
  std::string output;  // the archive to write with the predicted run; empty: none
  std::string words;   // all of these in the user's words, for that archive
};

struct Prediction {
  struct Location {
    int rank = 0, thread = 0;
    double measured = 0, predicted = 0;  // seconds
  };
  struct Gain {
    uint32_t path = 0;
    double own = 0, gain = 0;  // seconds: own time over all locations, by the summary; gain of the run
  };
  struct OnPath {
    uint32_t path = 0;  // kNone: no call path
    double seconds = 0;
  };
  struct PathTime {
    uint32_t path = 0;                   // kNone: no call path
    double measured = 0, predicted = 0;  // seconds, over all locations
  };
  double measured = 0, predicted = 0;  // seconds
  // If the trace leaves open what ran while threads had locks: the shortest and the longest run that it can be.
  std::optional<std::pair<double, double>> range;  // seconds
  // Seconds that all threads save in functions whose places in the trace are not known.
  double scattered = 0;
  std::vector<Location> locations;
  std::vector<PathTime> paths;        // the call paths of the trace, those with most time first
  std::vector<Gain> ranking;          // of a sweep, largest first
  std::vector<OnPath> critical_path;  // of the predicted run, longest first
  // Tells how --ranks-per-host spreads the ranks, and how long messages take. The trace or --network gives these times.
  struct Hosts {
    uint32_t before = 0, then = 0;
    uint64_t pairs = 0, changed_pairs = 0;  // pairs of ranks that exchange messages
    std::optional<approximation::Way> same_host, other_host;
  };
  std::optional<Hosts> hosts;
  // Only for an ideal network without other changes: the POP split of the efficiency of communication.
  std::optional<double> transfer, serialisation;
};

// Returns false, with one line about the reason, when a wish names nothing, or when the archive cannot be written.
bool Predict(const approximation::TracedRun& run, const Wishes& wishes, Prediction* prediction, std::string* error);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_PREDICTION_H_
