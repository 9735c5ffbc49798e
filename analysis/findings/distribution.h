// SPDX-License-Identifier: BSD-3-Clause
// When waits happened, and how long they took: over the run, by iteration of phases and parameters, and as histograms.
// A part of analysis.json.
#ifndef EPIK_ANALYSIS_FINDINGS_DISTRIBUTION_H_
#define EPIK_ANALYSIS_FINDINGS_DISTRIBUTION_H_

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace epik::findings {

// Waiting of a pattern by part of the run, or by iteration.
struct Series {
  std::string pattern;
  std::vector<double> seconds;
};

struct OverTime {
  double bin_s = 0;  // length of each bin; the first one begins at 0
  std::vector<Series> patterns;
};

// The values of a phase or parameter, in order. If there are many, one row stands for several consecutive values.
struct Iterations {
  std::string callpath, parameter;
  std::vector<std::string> first, last;  // value, by row
  std::vector<double> time_s;            // over all threads, with callees
  std::vector<Series> patterns;
};

// The lengths of the waits of a pattern.
struct Spread {
  struct Bucket {
    double from_s = 0, to_s = 0;
    uint64_t count = 0;
  };
  std::string pattern, callpath;  // empty: all call paths
  uint64_t instances = 0;
  double seconds = 0, min_s = 0, median_s = 0, p90_s = 0, p99_s = 0, max_s = 0;
  std::vector<Bucket> buckets;
};

struct Distribution {
  OverTime over_time;
  std::vector<Iterations> iterations;
  std::vector<Spread> spreads;  // those of all call paths first, then of those with most waiting
};

void Put(const Distribution& distribution, nlohmann::ordered_json* json);
// Parts that the JSON lacks stay empty. Lets the exceptions of the JSON library through.
Distribution TakeDistribution(const nlohmann::json& json);

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_DISTRIBUTION_H_
