// SPDX-License-Identifier: BSD-3-Clause
#include "tools/epk/calibrated.h"

#include <cstdio>
#include <cstdlib>

#include "tools/epk/command.h"
#include "tools/epk/message.h"

namespace epik::epk {

void TakeCosts(const char* command, archive::Manifest* manifest) {
  const char* named = std::getenv("EPK_COSTS");
  const bool is_named = named != nullptr && named[0] != '\0';
  if (!is_named && manifest->costs.there) return;
  archive::Calibration costs;
  std::string problem;
  const archive::HostClass host = {manifest->processor, manifest->processors};
  if (archive::FindCalibration(is_named ? named : "", host, &costs, &problem)) {
    manifest->costs = std::move(costs);
  } else if (is_named) {
    throw Fault(problem);
  } else if (!problem.empty()) {
    TellUser(command, problem);
  }
}

std::string CostsInWords(const archive::Manifest& manifest) {
  const archive::Calibration& costs = manifest.costs;
  if (!costs.there) return "";
  return "prices of " + costs.file + " (" + costs.host.Words() + ", " + costs.measured + ")";
}

}  // namespace epik::epk
