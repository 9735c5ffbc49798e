// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/approximation/whole_calls.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

namespace epik::approximation {

namespace {

constexpr double kSlack = 1.0002;  // clocks of trace and summary, rounded
constexpr double kFilled = 0.9;    // callees of a place take so much of its time, or the place tells nothing of them

// Tries all ways to give each callee a place.
class Search {
 public:
  explicit Search(const std::vector<WholeCalls>& threads)
      : threads_(threads),
        places_(threads.front().places.size()),
        possible_(threads.front().callees.size()),
        chosen_(possible_.size()) {
    for (const WholeCalls& thread : threads) {
      std::vector<double>& left = left_.emplace_back();
      for (const double ns : thread.places) left.push_back(ns * kSlack + thread.elsewhere);
    }
  }

  std::vector<uint32_t> Run() {
    Try(0);
    std::vector<uint32_t> places(possible_.size(), kAnyPlace);
    if (steps_ > kMostSteps) return places;
    for (size_t callee = 0; callee < places.size(); ++callee) {
      const bool is_known = std::has_single_bit(possible_[callee]);
      if (is_known) places[callee] = static_cast<uint32_t>(std::countr_zero(possible_[callee]));
    }
    return places;
  }

 private:
  static constexpr uint32_t kMostSteps = 20000;

  // The time of a callee in its place. Its visits elsewhere may last longer than others.
  static double TimeIn(size_t place, const WholeCalls::Callee& callee) {
    constexpr double kLonger = 1.1;
    const double others = VisitsElsewhere(callee.visits, callee.stays[place]);
    return others > 0 ? callee.ns * (1 - kLonger * others / callee.visits) : callee.ns;
  }

  bool Fits(size_t callee, size_t place) const {
    for (size_t t = 0; t < threads_.size(); ++t) {
      const WholeCalls::Callee& its = threads_[t].callees[callee];
      if (its.ns > 0 && (its.stays[place] <= 0 || TimeIn(place, its) > left_[t][place])) return false;
    }
    return true;
  }

  void Use(size_t callee, size_t place, double sign) {
    for (size_t t = 0; t < threads_.size(); ++t) {
      const WholeCalls::Callee& its = threads_[t].callees[callee];
      if (its.ns > 0) left_[t][place] -= sign * TimeIn(place, its);
    }
  }

  // Whether the callees of the place explain its time. `left_` is what they leave.
  bool IsFilled(size_t place) const {
    double all = 0, left = 0;
    for (size_t t = 0; t < threads_.size(); ++t) {
      all += threads_[t].places[place];
      left += left_[t][place] - threads_[t].elsewhere;
    }
    return left <= (1 - kFilled) * all;
  }

  void Try(size_t callee) {
    if (++steps_ > kMostSteps) return;
    if (callee == possible_.size()) return Note();
    for (size_t place = 0; place < places_; ++place) {
      if (!Fits(callee, place)) continue;
      Use(callee, place, 1);
      chosen_[callee] = place;
      Try(callee + 1);
      Use(callee, place, -1);
    }
  }

  // A callee in a place whose time it does not explain could as well have several places.
  void Note() {
    for (size_t callee = 0; callee < possible_.size(); ++callee) {
      possible_[callee] |= IsFilled(chosen_[callee]) ? uint64_t{1} << chosen_[callee] : ~uint64_t{0};
    }
  }

  const std::vector<WholeCalls>& threads_;
  const size_t places_;
  std::vector<std::vector<double>> left_;  // by thread and place
  std::vector<uint64_t> possible_;         // by callee, a bit for each place
  std::vector<size_t> chosen_;             // by callee
  uint32_t steps_ = 0;
};

}  // namespace

double VisitsElsewhere(double visits, double stays) {
  constexpr double kRounds = 2;
  if (visits <= stays) return 0;
  const double in_each = std::ceil(visits / (stays + kRounds));
  const double others = std::max(0.0, visits - in_each * stays);
  return others <= kRounds * in_each ? others : 0;
}

std::vector<uint32_t> PlacesOfCallees(const std::vector<WholeCalls>& threads) {
  return threads.empty() ? std::vector<uint32_t>() : Search(threads).Run();
}

}  // namespace epik::approximation
