// SPDX-License-Identifier: BSD-3-Clause
// The price of a visit, by the work of the function itself. A processor reads the clock and works for the program at
// the same time: a function that does nothing takes as long as both readings, and a function that works for longer
// hides them. Between these, the measured time tells how long both took together, but not the share of the program.
#ifndef EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_
#define EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_

namespace epik::archive {

// All prices are in one unit of time. `alone` is the price of a function that does nothing. `behind_least` and
// `behind_most` are the least and the most for a function that works much. When they are negative, there was no
// calibration, and all visits cost the same.
struct VisitPrices {
  double alone = 0;
  double behind_least = -1, behind_most = -1;
};

struct Price {
  double least = 0, likely = 0, most = 0;
};

// `between_events`: the mean time from one event to the next one within the visits.
Price PriceOf(const VisitPrices& prices, double between_events);

// The same from sums: the time of the visits with their callees, the number of the visits, and the number of all visits
// within them, including themselves.
Price PriceOf(const VisitPrices& prices, double inclusive, double visits, double visits_inside);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_
