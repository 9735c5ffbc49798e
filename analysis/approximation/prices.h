// SPDX-License-Identifier: BSD-3-Clause
// The time that measuring a visit adds to a run: the papers' α, by the kind of region, and with an uncertainty. The
// archive holds the calibration of the run, and perhaps that of `epk calibrate` on that machine; nothing is measured
// here.
#ifndef EPIK_ANALYSIS_APPROXIMATION_PRICES_H_
#define EPIK_ANALYSIS_APPROXIMATION_PRICES_H_

#include <cstdint>
#include <vector>

#include "archive/files/manifest.h"
#include "archive/metrics/event_pairs.h"
#include "archive/metrics/visit_price.h"
#include "archive/profile/profile.h"

namespace epik::approximation {

// The lower bound of a time removes the most that measuring may have taken, the upper bound the least.
enum class Bound : uint8_t { kLower, kEstimate, kUpper };

class Prices {
 public:
  Prices() = default;
  // `profile` is that of the whole run: its visits share the cost that the manifest states.
  Prices(const archive::Profile& profile, const archive::Manifest& manifest);
  // The same α for all call paths, known except for a share of it.
  static Prices Same(double ns, size_t paths, double spread = 0);

  // Nanoseconds that a visit of the call path adds with its enter and its exit. `logged`: the trace has them, too.
  double Of(uint32_t path, Bound bound, bool logged) const;
  // The measurement's own region: measuring added all of its time.
  bool IsOwn(uint32_t path) const { return path < kinds_.size() && kinds_[path] == kOwn; }
  bool IsKnown() const { return pair_ns_ > 0; }
  // The price of a visit that EPIK counted without its time.
  double OfUntimed(Bound bound) const;
  // Whether prices of `epk calibrate` are in use.
  bool IsCalibrated() const { return calibrated_; }
  // The mean price over all visits.
  double pair_ns() const { return mean_ns_; }
  double spread() const { return spread_; }

 private:
  enum Kind : uint8_t { kFunction, kMpi, kOpenMp, kOwn };
  struct Weight {
    double pairs = 1;   // factor for the pairs of the call path
    double logged = 0;  // the share that logging adds
  };

  // The price of a visit in nanoseconds, as the run measured it (EPK_HOT=probe). A negative one was not measured.
  struct Probed {
    double ns = -1, error = 0;
  };

  static Kind KindOf(const archive::Region& region);
  void TakeProbed(const archive::Profile& profile);
  void Weigh(const archive::Profile& profile, const archive::Manifest& manifest);
  void Calibrate(const archive::Calibration& costs, archive::Processor processor);
  double PairNs(Bound bound, double more_spread) const;
  static double OfProbed(const Probed& probed, Bound bound, double share, double more_spread);

  double pair_ns_ = 0;  // price of a function that does nothing
  double mean_ns_ = 0;
  double spread_ = 0;  // the share by which the price may be wrong
  double untimed_ns_ = 0;
  double logged_spread_ = 0;  // the share by which the price of a logged visit may be wrong besides
  // The range that `epk calibrate` found; 0: not known.
  double least_ns_ = 0, most_ns_ = 0;
  bool calibrated_ = false;
  Weight weights_[4] = {{1, 0}, {1, 0}, {1, 0}, {0, 0}};
  // By call path.
  std::vector<Kind> kinds_;
  std::vector<double> pairs_;           // archive/metrics/event_pairs.h
  std::vector<archive::Price> shares_;  // for each call path: share of the price of a function that does nothing
  std::vector<Probed> probed_;
};

// The visits of a profile, timed or only counted, with those of call paths that the run dropped.
class PaidVisits {
 public:
  explicit PaidVisits(const archive::Profile& profile);
  // Seconds that measuring the visits of a call path took on a location, without the measurement's own region.
  double Seconds(const Prices& prices, Bound bound, uint32_t path, uint32_t location) const;

 private:
  double Count(uint32_t metric, uint32_t path, uint32_t location) const;

  const archive::Profile& profile_;
  const uint32_t visits_, untimed_, dropped_;
};

// The seconds that measuring took, of each location of the profile, and of each call path in all locations.
struct ProfileCost {
  std::vector<double> by_location, by_path;
};
ProfileCost CostOf(const archive::Profile& profile, const Prices& prices, Bound bound);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_PRICES_H_
