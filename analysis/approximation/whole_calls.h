// SPDX-License-Identifier: BSD-3-Clause
// Finds between which points of a trace the functions ran that it lacks. Most functions have one place in the code
// around them: all their visits follow the same call. If the times of all threads leave one such place only, that is
// it.
#ifndef EPIK_ANALYSIS_APPROXIMATION_WHOLE_CALLS_H_
#define EPIK_ANALYSIS_APPROXIMATION_WHOLE_CALLS_H_

#include <cstdint>
#include <vector>

namespace epik::approximation {

// The time of a thread in a call: by place, and by callee.
struct WholeCalls {
  struct Callee {
    double ns = 0, visits = 0;
    std::vector<double> stays;  // by place: those that are long enough for a visit
  };
  std::vector<double> places;  // nanoseconds
  std::vector<Callee> callees;
  double elsewhere = 0;  // nanoseconds in other places
};

inline constexpr uint32_t kAnyPlace = UINT32_MAX;

// In a loop, the place before the loop has the first visits, or none. Returns the visits that are not in the callee's
// place, which has so many stays.
double VisitsElsewhere(double visits, double stays);

// Returns the place of each callee, or kAnyPlace if several are possible or none is. All threads have the same places
// and the same callees.
std::vector<uint32_t> PlacesOfCallees(const std::vector<WholeCalls>& threads);

}  // namespace epik::approximation

#endif  // EPIK_ANALYSIS_APPROXIMATION_WHOLE_CALLS_H_
