// SPDX-License-Identifier: BSD-3-Clause
// The conditions of a prediction: which code is faster, which network, which load is even. Read from text, in the form
// of the options of `epk predict`.
#ifndef EPIK_ANALYSIS_PREDICTION_WISHES_H_
#define EPIK_ANALYSIS_PREDICTION_WISHES_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/approximation/change.h"

namespace epik::prediction {

// Code that takes another time: `share` of its measured time.
struct Faster {
  std::string region;  // * and ? match
  double share = 1;
};

// "solve:2x,assemble:30%": solve is twice as fast, assemble takes 30 % less time. The region "each" asks for a sweep.
// Returns false, with one line about the accepted form, for other text.
bool ParseFaster(std::string_view text, std::vector<Faster>* faster, std::string* error);

// Reads a list of names with commas between them. Names of C++ contain commas, too: `is_name` tells what is a name.
// If it cannot divide the list into names, it returns false, and `unknown` gets the first text that is not a name.
bool ParseNames(std::string_view text, const std::function<bool(const std::string&)>& is_name,
                std::vector<std::string>* names, std::string* unknown);

// "ideal", or "latency:2us,bandwidth:10G" (bytes a second), or one of the two.
struct NetworkWish : public approximation::Network {
  bool ideal = false;
  double latency_ns = 0, ns_per_byte = 0;

  double Takes(uint64_t bytes, uint32_t members) const override;
  bool CallsTakeTime() const override { return !ideal; }
};
bool ParseNetwork(std::string_view text, NetworkWish* network, std::string* error);

}  // namespace epik::prediction

#endif  // EPIK_ANALYSIS_PREDICTION_WISHES_H_
