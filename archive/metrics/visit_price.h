// SPDX-License-Identifier: BSD-3-Clause
// The price of a visit, by how much the function itself does. A processor reads the clock and works for the program at
// the same time: a function that does nothing takes as long as both readings, and one that works for longer hides them.
// Between these, the measured time says how long both took together, and not how much of it was the program's.
#ifndef EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_
#define EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_

namespace epik::archive {

// All prices are in one unit of time. `alone` is the price of a function that does nothing. `behind_least` and
// `behind_most` are the least and the most that a function pays which does much. When they are negative, nobody
// calibrated them, and all visits cost the same.
struct VisitPrices {
  double alone = 0;
  double behind_least = -1, behind_most = -1;
};

struct Price {
  double least = 0, likely = 0, most = 0;
};

// `between_events`: the mean time from one event to the next one within the visits.
Price PriceOf(const VisitPrices& prices, double between_events);

// The same by sums: the time of visits with their callees, their number, and the number of all visits in them, their
// own included.
Price PriceOf(const VisitPrices& prices, double inclusive, double visits, double visits_inside);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_METRICS_VISIT_PRICE_H_
