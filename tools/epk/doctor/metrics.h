// SPDX-License-Identifier: BSD-3-Clause
// epk doctor --metrics: lists the counters that EPK_METRICS may name here, and the cost of reading them.
#ifndef EPIK_TOOLS_EPK_DOCTOR_METRICS_H_
#define EPIK_TOOLS_EPK_DOCTOR_METRICS_H_

#include <string>
#include <vector>

namespace epik::epk::doctor {

struct CounterFinding {
  std::string name, unit, text;
  std::string missing;  // why it cannot be read; empty: it can
};

struct SourceFinding {
  std::string name, text;
  std::vector<CounterFinding> counters;
  double one_ns = 0;  // time to read one of them, and to read all at once; 0: none can be read
  double all_ns = 0;
};

// Looks at EPIK's own sources, then at the plug-ins. Counters of libraries beside epk are looked up there.
std::vector<SourceFinding> LookAtMetrics(const std::vector<std::string>& plugins);

}  // namespace epik::epk::doctor

#endif  // EPIK_TOOLS_EPK_DOCTOR_METRICS_H_
