// SPDX-License-Identifier: BSD-3-Clause
// Makes profiles of jobs for tests: each region is called once.
#ifndef EPIK_REPORT_VIEWS_TEST_JOB_H_
#define EPIK_REPORT_VIEWS_TEST_JOB_H_

#include <string>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::report {

// A job of `ranks` × `threads`; its root is call path 0.
inline archive::Profile Job(uint32_t ranks, uint32_t threads) {
  archive::Profile profile;
  profile.hosts.push_back({"n"});
  for (uint32_t r = 0; r < ranks; ++r) {
    profile.processes.push_back({0, static_cast<int>(r), "p"});
    for (uint32_t t = 0; t < threads; ++t) profile.locations.push_back({r, static_cast<int>(t), "t"});
  }
  archive::Metric time;
  time.unique_name = "time";
  time.unit = "sec";
  profile.AddMetric(time);
  return profile;
}

// Adds a region that is called once from `parent`, with its seconds by location.
inline void Add(archive::Profile* profile, const std::string& name, const std::string& paradigm,
                const std::string& role, const std::vector<double>& seconds, uint32_t parent = archive::kNone) {
  archive::Region region;
  region.name = name;
  region.paradigm = paradigm;
  region.role = role;
  profile->regions.push_back(region);
  const auto path = static_cast<uint32_t>(profile->call_paths.size());
  profile->call_paths.push_back({path, parent});
  archive::Values grown(archive::Type::kDouble, path + 1, profile->locations.size());
  for (uint32_t p = 0; p < path; ++p) {
    for (uint32_t l = 0; l < seconds.size(); ++l) grown.Set(p, l, profile->values[0].Real(p, l));
  }
  for (uint32_t l = 0; l < seconds.size(); ++l) grown.Set(path, l, seconds[l]);
  profile->values[0] = grown;
}

}  // namespace epik::report

#endif  // EPIK_REPORT_VIEWS_TEST_JOB_H_
