// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `epk run` as variables of the program, checked before the program starts: otherwise each process of a job
// would find a wrong value only after the job may have waited in a queue for hours.
#ifndef EPIK_TOOLS_LAUNCH_SETTINGS_H_
#define EPIK_TOOLS_LAUNCH_SETTINGS_H_

#include <string>
#include <utility>
#include <vector>

#include "tools/launch/launchers.h"

namespace epik::launch {

struct Options {
  std::string trace;    // EPK_TRACE
  std::string title;    // EPK_TITLE
  std::string dir;      // EPK_GDIR
  std::string filter;   // EPK_FILTER
  std::string metrics;  // EPK_METRICS
  Words settings;       // NAME=VALUE
  bool dry_run = false;
  bool verbose = false;
  std::string record;  // EPK_INTERNAL_RUN: the file in which the measured processes report
  Words library_dirs;  // where libepk.so and the adapters may be
};

struct GivenSettings {
  std::vector<std::pair<std::string, std::string>> variables;
  std::string error;  // names the option; empty: all is well
};

// Paths stay as they are given.
GivenSettings ReadSettings(const Options& options);

// Whether a value of EPK_ENABLED switches measurement off.
bool SwitchesOff(const std::string& enabled);
// Whether values of EPK_SUMMARY and EPK_TRACE ask for neither a profile nor a trace.
bool AskForNothing(const std::string& summary, const std::string& trace);
// The line of a file that switches measurement off, or "". `named`: the value of EPK_CONF.
std::string SwitchedOffIn(const std::string& named);

}  // namespace epik::launch

#endif  // EPIK_TOOLS_LAUNCH_SETTINGS_H_
