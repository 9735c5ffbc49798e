// SPDX-License-Identifier: BSD-3-Clause
// epk doctor --metrics: which counters EPK_METRICS may name here, and what reading them costs.
#ifndef EPIK_TOOLS_EPK_DOCTOR_METRICS_H_
#define EPIK_TOOLS_EPK_DOCTOR_METRICS_H_

#include <string>
#include <vector>

namespace epik::epk::doctor {

struct CounterFinding {
  std::string name, unit, text;
  std::string missing;  // why it cannot be had; empty: it can
};

struct SourceFinding {
  std::string name, text;
  std::vector<CounterFinding> counters;
  double one_ns = 0;  // to read one of them, and all that can be had, at once; 0: none can
  double all_ns = 0;
};

// Sources of ours, then the plug-ins. Those of libraries beside epk are asked there.
std::vector<SourceFinding> LookAtMetrics(const std::vector<std::string>& plugins);

}  // namespace epik::epk::doctor

#endif  // EPIK_TOOLS_EPK_DOCTOR_METRICS_H_
