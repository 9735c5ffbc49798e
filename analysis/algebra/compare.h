// SPDX-License-Identifier: BSD-3-Clause
// Compares two sets of runs, call path by call path: which figures grew and which fell.
#ifndef EPIK_ANALYSIS_ALGEBRA_COMPARE_H_
#define EPIK_ANALYSIS_ALGEBRA_COMPARE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "analysis/algebra/statistics.h"
#include "analysis/algebra/unite.h"

namespace epik::algebra {

// One figure of every run, before and after.
struct Change {
  Summary before, after;
  // Runs whose figure is infinite or no number. They are left out of the summaries.
  size_t unknown = 0;

  double Difference() const { return after.mean - before.mean; }
  double Percent() const;  // infinite when there was nothing before
  double Probability() const { return algebra::Probability(before, after); }
};

// The matched runs, and sums of their values over all locations, exclusive and inclusive, for each call path. For
// minima and maxima, the least and the largest value stand in place of the sums.
class Runs {
 public:
  Runs(std::vector<Operand> before, std::vector<Operand> after);

  // Metrics and call paths of all runs; an index below is one of these.
  const archive::Profile& definitions() const { return united_.definitions; }
  const std::vector<std::string>& notes() const { return united_.notes; }
  size_t before() const { return before_; }
  size_t after() const { return operands_.size() - before_; }

  // Wall times of the runs from their manifests, first those before. Without them, the wall time of a run is the time
  // of the location with most time.
  void SetWalls(std::vector<double> walls) { walls_ = std::move(walls); }
  bool LoadWalls(std::string* error);  // before Wall()
  Change Wall() const;

  // The ranks and threads that all runs of a side have; false when these runs differ.
  struct Size {
    size_t ranks = 0, threads = 0;  // threads: all locations
    bool operator==(const Size&) const = default;
  };
  Size SizeOf(size_t run) const;
  bool SameSize() const;

  // Reads the values of a metric in all runs, once for each metric. It must come before the functions below.
  bool Load(uint32_t metric, std::string* error);

  Change Own(uint32_t metric, uint32_t path) const;
  Change Whole(uint32_t metric, uint32_t path) const;  // with the callees of the path
  Change Total(uint32_t metric) const;
  // All calls of these regions with their callees; a call within another one counts once.
  Change OfRegions(uint32_t metric, const std::vector<bool>& regions) const;

 private:
  struct Sums {
    std::vector<double> own, whole;  // values of each call path, without and with its callees
    double most = 0;                 // the largest value of one location, in all its call paths
  };

  bool LoadRun(uint32_t metric, size_t run, Sums* sums, std::string* error) const;
  template <class Figure>
  Change ChangeOf(uint32_t metric, Figure figure) const;

  std::vector<Operand> operands_;
  size_t before_;
  Union united_;
  std::map<uint32_t, std::vector<Sums>> sums_;  // by metric, then run
  std::vector<double> walls_;                   // by run
};

struct PathChange {
  uint32_t path = 0;
  Change own, whole, visits;
  double probability = 1;    // of the own values, or of the whole where that is listed
  bool significant = false;  // at most 5 % of all significant changes may be wrong
};

// One figure of whole runs.
struct MetricChange {
  std::string metric, label;
  Change total;
};

struct Comparison {
  std::string metric, unit;
  Change wall;                      // n is 0 where the wall time is not known
  Change total;                     // the same as wall when that is the metric
  bool has_noise = false;           // several runs: significance can be tested
  std::vector<MetricChange> waits;  // wait states and their causes, of runs that were analysed
  std::vector<PathChange> paths;    // in the order of the call tree; only call paths that have a value in some run
};

// The wall time of a run, which is no metric of call paths.
inline constexpr char kWall[] = "wall";
// Checks that this is kWall or a metric of the runs; if not, returns false, and *error lists the names.
bool CheckMetric(const Runs& runs, const std::string& metric, std::string* error);

// REQUIRES: CheckMetric. Call paths below `least_percent` of the total are not tested for significance. The tests use
// exclusive figures, or `inclusive` ones.
bool Compare(Runs* runs, const std::string& metric, double least_percent, bool inclusive, Comparison* comparison,
             std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_COMPARE_H_
