// SPDX-License-Identifier: BSD-3-Clause
// Writes costs of delays and the critical path as metrics of a profile, by Scalasca's names, and reads costs back.
#ifndef EPIK_ANALYSIS_FINDINGS_CAUSE_PROFILE_H_
#define EPIK_ANALYSIS_FINDINGS_CAUSE_PROFILE_H_

#include <string>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/critical/profile.h"
#include "analysis/replay/world.h"
#include "archive/profile/profile.h"

namespace epik::findings {

// Adds them to a profile of the same call paths and locations. Costs without a call path (of a location that had not
// begun) go to the first call path.
void AddCauses(const causes::Delays& delays, const replay::World& world, archive::Profile* profile);
void AddCritical(const std::vector<critical::ProfileRow>& rows, const replay::World& world, archive::Profile* profile);

struct Cost {
  std::string kind;  // delay_latesender, delay_latesender_longterm …
  uint32_t location, path;
  double seconds;
};
// The costs by kind, call path and location, of a profile that AddCauses has made.
std::vector<Cost> CostsOf(const archive::Profile& profile);
bool HasCauses(const archive::Profile& profile);

}  // namespace epik::findings

#endif  // EPIK_ANALYSIS_FINDINGS_CAUSE_PROFILE_H_
