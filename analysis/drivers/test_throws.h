// SPDX-License-Identifier: BSD-3-Clause
// Returns the message of the error that a call throws, or an empty text if the call returns.
#ifndef EPIK_ANALYSIS_DRIVERS_TEST_THROWS_H_
#define EPIK_ANALYSIS_DRIVERS_TEST_THROWS_H_

#include <stdexcept>
#include <string>

namespace epik::drivers {

template <typename Call>
std::string WhatItThrows(const Call& call) {
  try {
    call();
  } catch (const std::runtime_error& problem) {
    return problem.what();
  }
  return "";
}

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_TEST_THROWS_H_
