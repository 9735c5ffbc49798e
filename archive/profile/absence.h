// SPDX-License-Identifier: BSD-3-Clause
// What was asked for and could not be had is no zero. A profile says so in the description of the metric, which every
// format keeps and every tool shows: "n/a: WHY" when nobody had it, "n/a on ranks 1,3-5: WHY; WHAT IT IS" when some
// had.
#ifndef EPIK_ARCHIVE_PROFILE_ABSENCE_H_
#define EPIK_ARCHIVE_PROFILE_ABSENCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::epitome {

// Ranks in ascending ranges that do not touch.
struct RankRange {
  int32_t first, last;

  bool operator==(const RankRange&) const = default;
};
using Ranks = std::vector<RankRange>;

void AddRanks(RankRange range, Ranks* ranks);
bool HasRank(const Ranks& ranks, int32_t rank);
Ranks RanksWithout(const Ranks& all, const Ranks& some);
std::string RanksText(const Ranks& ranks);  // 1,3-5

// Whether nobody had it.
inline constexpr std::string_view kMissing = "n/a: ";
inline bool SaysMissing(std::string_view description) { return description.substr(0, kMissing.size()) == kMissing; }

struct Absence {
  Ranks ranks;       // of those that had it not; none: all had it, or none
  std::string why;   // empty: all had it
  std::string text;  // what it is

  bool IsPartial() const { return !ranks.empty(); }
};
Absence ReadAbsence(std::string_view description);
std::string DescribeAbsence(const Absence& absence);

// The locations whose processes did not have it; empty: all had it.
std::vector<bool> AbsentLocations(const Profile& profile, uint32_t metric);

}  // namespace epik::epitome

#endif  // EPIK_ARCHIVE_PROFILE_ABSENCE_H_
