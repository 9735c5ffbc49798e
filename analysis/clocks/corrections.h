// SPDX-License-Identifier: BSD-3-Clause
// Corrected times of each location: straight lines between knots. They never go back, and locations without knots keep
// the times that were measured.
#ifndef EPIK_ANALYSIS_CLOCKS_CORRECTIONS_H_
#define EPIK_ANALYSIS_CLOCKS_CORRECTIONS_H_

#include <cstdint>
#include <vector>

#include "analysis/replay/time_model.h"

namespace epik::clocks {

struct Knot {
  int64_t measured, corrected;
  bool operator==(const Knot&) const = default;
};

// A clock that was set forward loses this part of the time that passes, until it is right again.
inline constexpr int64_t kLoses = 64;
constexpr int64_t Passes(int64_t ns) { return ns - ns / kLoses; }

class Corrections {
 public:
  Corrections() = default;
  explicit Corrections(std::vector<std::vector<Knot>> knots) : knots_(std::move(knots)) {}
  // Reads the words of another process.
  explicit Corrections(const std::vector<uint64_t>& words);
  std::vector<uint64_t> Words() const;

  int64_t At(uint32_t location, int64_t ns) const {
    return location < knots_.size() ? Between(knots_[location], ns) : ns;
  }
  bool IsEmpty() const { return knots_.empty(); }
  const std::vector<std::vector<Knot>>& knots() const { return knots_; }
  // The longest time by which an event is moved.
  int64_t largest() const;

 private:
  static int64_t Between(const std::vector<Knot>& some, int64_t ns);

  std::vector<std::vector<Knot>> knots_;  // for each location, ascending in both times
};

class RepairedTime : public replay::TimeModel {
 public:
  RepairedTime(const replay::World* world, const Corrections* corrections)
      : measured_(world), corrections_(corrections) {}
  int64_t Ns(uint32_t location, uint64_t ticks) override {
    return corrections_->At(location, measured_.Ns(location, ticks));
  }

 private:
  replay::MeasuredTime measured_;
  const Corrections* corrections_;
};

}  // namespace epik::clocks

#endif  // EPIK_ANALYSIS_CLOCKS_CORRECTIONS_H_
