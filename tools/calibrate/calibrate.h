// SPDX-License-Identifier: BSD-3-Clause
// Measures the cost of measuring on this machine: for each kind of event in each mode, bare and measured, alone and
// beside a busy neighbour. Takes some seconds.
#ifndef EPIK_TOOLS_CALIBRATE_CALIBRATE_H_
#define EPIK_TOOLS_CALIBRATE_CALIBRATE_H_

#include <string>
#include <vector>

#include "archive/files/calibration.h"

namespace epik::calibrate {

struct Request {
  // Commands that run probe.h's functions: Probe with the name of an event after it, and BeBusy.
  std::vector<std::string> probe, busy;
  std::string library;  // libepk.so
  std::string scratch;  // an empty folder for the probes' files
};

// Fills in the prices. `remarks`: sentences about what was not measured, or not well. False, with the reason, when not
// even the price of a function is known.
bool Calibrate(const Request& request, archive::Calibration* calibration, std::vector<std::string>* remarks,
               std::string* error);

}  // namespace epik::calibrate

#endif  // EPIK_TOOLS_CALIBRATE_CALIBRATE_H_
