// SPDX-License-Identifier: BSD-3-Clause
// The cost and the benefit of measuring each region; filters are made from them. docs/choosing.md explains them.
#ifndef EPIK_ANALYSIS_SCORE_H_
#define EPIK_ANALYSIS_SCORE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/metrics/visit_price.h"
#include "archive/profile/profile.h"
#include "config/filter.h"

namespace epik::analysis {

// The class of a region, in the usual words of performance tools. COM: a function of the program that leads to MPI or
// OpenMP. USR: any other function of the program. API: marked in the source with epik.h. Other: threads and the
// measurement itself.
enum class CostClass : uint8_t { kMpi, kOpenMp, kCom, kUsr, kApi, kOther };
inline constexpr size_t kCostClasses = 6;
const char* Word(CostClass cost_class);

// The figures of one region on one location.
struct Cost {
  uint64_t visits = 0;
  uint64_t calls = 0;        // calls of other regions that it made
  uint64_t untimed = 0;      // visits that were not timed
  uint64_t dropped = 0;      // calls that were not recorded as visits
  uint64_t probed = 0;       // visits whose price the run has measured (EPK_HOT=probe)
  double probed_cost = 0;    // seconds that measuring the probed visits took
  double own = 0;            // exclusive seconds
  double inclusive = 0;      // seconds from the enters of its outermost calls to their exits
  bool is_function = false;  // a function of the program, not of MPI and not of OpenMP
};

struct RegionCosts {
  CostClass cost_class = CostClass::kOther;
  bool leads_to_mpi = false, leads_to_openmp = false;
  std::vector<Cost> at;  // by location

  Cost Sum() const;
  // The location that calls the region most often.
  uint32_t Busiest() const;
};

// By region of the profile.
std::vector<RegionCosts> CostsOf(const archive::Profile& profile);

// For each region, whether it is in `wanted`, or is a function of the program that calls one of them, directly or
// through others.
std::vector<bool> LeadingTo(const archive::Profile& profile, const std::vector<bool>& wanted);

// For each region of the profile, whether a filter excludes it. `used` is as in Filter::Measures and may be null.
std::vector<bool> Excluded(const archive::Profile& profile, const config::Filter& filter, std::vector<bool>* used);

struct ScoreRow {
  size_t regions = 0;
  uint64_t visits = 0;
  double seconds = 0;   // own time of these regions, and of excluded regions that they called
  double overhead = 0;  // seconds, over all locations
  double bytes = 0;     // of a trace
  double largest = 0;   // … of the process with the largest trace
};

// The prices of measuring, as the runtime calibrated them.
struct Prices {
  double pair_ns = 0;     // an enter and exit, the mean over all visits
  double untimed_ns = 0;  // price of a visit that is counted and not timed, or not even counted (EPK_HOT)
  double ticks_per_second = 0;
  double program_seconds = 0;  // CPU time of the program without measuring; 0: not known, so its times are used
  double queued_share = 0;     // the part of the time in which threads could run, and others had the processors
  // Nanoseconds of a visit of a function, which fall with its work; if they are known.
  archive::VisitPrices by_work = {};
  double by_work_scale = 1;

  // Scales the prices by work so that the mean over all visits stays.
  void KeepMean(const std::vector<RegionCosts>& costs);
};

// The prices of a run, for its regions.
Prices PricesOf(const archive::Manifest& manifest, const std::vector<RegionCosts>& costs);

struct Score {
  ScoreRow all;
  double buffer = 0;              // bytes of the location with the largest buffer
  std::vector<double> of_region;  // bytes of a trace
  std::array<ScoreRow, kCostClasses> classes;
};

// Seconds.
double OverheadOf(const Cost& cost, const Prices& prices);

// excluded: empty, or by region.
Score ScoreOf(const archive::Profile& profile, const std::vector<RegionCosts>& costs, const Prices& prices,
              const std::vector<bool>& excluded);

struct Suggestion {
  std::vector<uint32_t> regions;  // to be excluded, the most expensive first
  double overhead = 0;            // the share of the CPU time that measuring takes without them
  bool met = false;               // whether that is within the budget
};

// budget: the share of the CPU time, for example 0.05. Keeps as much own time visible as it can: functions with the
// least time for their cost are excluded first, and functions that lead to MPI or OpenMP only when nothing else helps.
Suggestion Suggest(const std::vector<RegionCosts>& costs, const Prices& prices, double budget);

// A pattern that matches only this name.
std::string AsPattern(const std::string& name);

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_SCORE_H_
