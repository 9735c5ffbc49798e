// SPDX-License-Identifier: BSD-3-Clause
// What became more and what less, call path by call path, between two sets of runs.
#ifndef EPIK_ANALYSIS_ALGEBRA_COMPARE_H_
#define EPIK_ANALYSIS_ALGEBRA_COMPARE_H_

#include <map>
#include <string>
#include <vector>

#include "analysis/algebra/experiment.h"
#include "analysis/algebra/statistics.h"
#include "analysis/algebra/unite.h"

namespace epik::algebra {

// One figure of every run, before and after.
struct Change {
  Summary before, after;

  double Difference() const { return after.mean - before.mean; }
  double Percent() const;  // infinite when there was nothing before
  double Probability() const { return algebra::Probability(before, after); }
};

// The runs, matched, and their sums over all locations: the exclusive and inclusive figures of call paths. Of minima
// and maxima, the least and largest.
class Runs {
 public:
  Runs(std::vector<Operand> before, std::vector<Operand> after);

  // Metrics and call paths of all runs; an index below is one of these.
  const epitome::Profile& definitions() const { return united_.definitions; }
  const std::vector<std::string>& notes() const { return united_.notes; }
  size_t before() const { return before_; }
  size_t after() const { return operands_.size() - before_; }

  // Reads the values of a metric in all runs; each metric is read once. Everything below wants that first.
  bool Load(uint32_t metric, std::string* error);

  Change Own(uint32_t metric, uint32_t path) const;
  Change Whole(uint32_t metric, uint32_t path) const;  // with what lies below
  Change Total(uint32_t metric) const;
  // All calls of these regions together, with what lies below; calls within calls count once.
  Change OfRegions(uint32_t metric, const std::vector<bool>& regions) const;

 private:
  struct Sums {
    std::vector<double> own, whole;  // by call path
  };

  bool LoadRun(uint32_t metric, size_t run, Sums* sums, std::string* error) const;
  template <class Figure>
  Change ChangeOf(uint32_t metric, Figure figure) const;

  std::vector<Operand> operands_;
  size_t before_;
  Union united_;
  std::map<uint32_t, std::vector<Sums>> sums_;  // by metric, then run
};

struct PathChange {
  uint32_t path = 0;
  Change own, whole, visits;
  double probability = 1;    // of own
  bool significant = false;  // of all that were compared, 5 % may be called so by mistake
};

struct Comparison {
  std::string metric, unit;
  Change total;
  bool has_noise = false;         // several runs: what is significant can be told
  std::vector<PathChange> paths;  // in the order of the call tree; those with a value somewhere
};

// The call paths below `least_percent` of the total are not tested for significance.
bool Compare(Runs* runs, const std::string& metric, double least_percent, Comparison* comparison, std::string* error);

}  // namespace epik::algebra

#endif  // EPIK_ANALYSIS_ALGEBRA_COMPARE_H_
