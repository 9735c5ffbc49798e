// SPDX-License-Identifier: BSD-3-Clause
// A metric that was wanted but could not be measured is not zero. Its description tells the two apart, because every
// format keeps descriptions and every tool shows them: "n/a: WHY" when no rank measured it, "n/a on ranks 1,3-5: WHY;
// WHAT IT IS" when some ranks did.
#ifndef EPIK_ARCHIVE_PROFILE_ABSENCE_H_
#define EPIK_ARCHIVE_PROFILE_ABSENCE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace epik::archive {

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

// The description begins so when no rank measured the metric.
inline constexpr std::string_view kMissing = "n/a: ";
inline bool SaysMissing(std::string_view description) { return description.substr(0, kMissing.size()) == kMissing; }

struct Absence {
  Ranks ranks;       // the ranks without the metric; empty when all ranks have it, and when none has
  std::string why;   // empty: all ranks have the metric
  std::string text;  // what the metric is

  bool IsPartial() const { return !ranks.empty(); }
};
Absence ReadAbsence(std::string_view description);
std::string DescribeAbsence(const Absence& absence);

}  // namespace epik::archive

#endif  // EPIK_ARCHIVE_PROFILE_ABSENCE_H_
