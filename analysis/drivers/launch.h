// SPDX-License-Identifier: BSD-3-Clause
// Finds out whether this process is one of several that a launcher of MPI programs started, from the environment: no
// MPI is linked, so one binary works under all.
#ifndef EPIK_ANALYSIS_DRIVERS_LAUNCH_H_
#define EPIK_ANALYSIS_DRIVERS_LAUNCH_H_

#include <functional>
#include <string>

namespace epik::drivers {

struct Launch {
  int rank = 0, size = 1;
  bool one_host = true;
  std::string key;  // the same in all processes of the launch and in no others; empty: not known
};

// Returns null when the variable is not set.
using Environment = std::function<const char*(const char* name)>;

Launch FindLaunch(const Environment& environment);

// Asks over the descriptor for the name that a launcher with PMI-1 gives to a launch; empty when it does not answer.
std::string AskPmi(int descriptor);

}  // namespace epik::drivers

#endif  // EPIK_ANALYSIS_DRIVERS_LAUNCH_H_
