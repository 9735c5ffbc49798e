// SPDX-License-Identifier: BSD-3-Clause
#include "archive/metrics/visit_price.h"

#include <algorithm>

#include "archive/metrics/elementary.h"

namespace epik::archive {

namespace {

// Two events with nothing between them are half a pair apart. Prices are known to a tenth. So EPIK assumes that a
// function works only when its events are this many times further apart.
constexpr double kWorks = 1.2, kWorksMuch = 1.5;
// Only the mean is known. If durations spread like those of random events (an exponential distribution), this is the
// share of visits that are too short to hide the clock.
constexpr double kLikelyShort = 1.0 / 3;
// Few programs keep all of a processor busy, so the likely price is nearer to the least price.
constexpr double kLikelyBusy = 0.25;

}  // namespace

Price PriceOf(const VisitPrices& prices, double between_events) {
  const double alone = prices.alone;
  if (!(alone > 0) || !(prices.behind_least >= 0) || !(between_events >= 0)) return {alone, alone, alone};
  const double least = std::min(prices.behind_least, alone);
  const double behind = std::clamp(prices.behind_most, least, alone);
  const double events_apart = alone / 2;
  const double works = std::clamp((between_events / events_apart - kWorks) / (kWorksMuch - kWorks), 0.0, 1.0);
  const double too_short = 1 - Decay(alone / std::max(between_events, events_apart));
  const double most = behind + (alone - behind) * too_short;
  const double usual = least + kLikelyBusy * (behind - least);
  const double likely = std::min(most, usual + (alone - usual) * kLikelyShort * too_short);
  return {least, alone + works * (likely - alone), alone + works * (most - alone)};
}

Price PriceOf(const VisitPrices& prices, double inclusive, double visits, double visits_inside) {
  const double gaps = 2 * visits_inside - visits;
  return PriceOf(prices, gaps > 0 ? std::max(inclusive, 0.0) / gaps : 0);
}

}  // namespace epik::archive
