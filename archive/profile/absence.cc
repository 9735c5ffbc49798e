// SPDX-License-Identifier: BSD-3-Clause
#include "archive/profile/absence.h"

#include <algorithm>
#include <charconv>

namespace epik::archive {
namespace {

constexpr std::string_view kPartly = "n/a on ranks ";

// Reads "1,3-5"; returns false for other text.
bool ParseRanks(std::string_view text, Ranks* ranks) {
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    RankRange range;
    auto read = std::from_chars(at, end, range.first);
    if (read.ec != std::errc() || range.first < 0) return false;
    range.last = range.first;
    if (read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, range.last);
    if (read.ec != std::errc() || range.last < range.first) return false;
    AddRanks(range, ranks);
    if (read.ptr != end && (*read.ptr != ',' || read.ptr + 1 == end)) return false;
    at = read.ptr == end ? end : read.ptr + 1;
  }
  return !ranks->empty();
}

}  // namespace

void AddRanks(RankRange range, Ranks* ranks) {
  // Merges the new range with the ranges that it touches. Ranks mostly come in order, so the search begins at the end.
  auto begin = ranks->end();
  while (begin != ranks->begin() && int64_t{(begin - 1)->last} + 1 >= range.first) --begin;
  auto end = begin;
  for (; end != ranks->end() && end->first <= int64_t{range.last} + 1; ++end) {
    range.first = std::min(range.first, end->first);
    range.last = std::max(range.last, end->last);
  }
  ranks->insert(ranks->erase(begin, end), range);
}

bool HasRank(const Ranks& ranks, int32_t rank) {
  const auto behind = std::upper_bound(ranks.begin(), ranks.end(), rank,
                                       [](int32_t r, const RankRange& range) { return r < range.first; });
  return behind != ranks.begin() && rank <= (behind - 1)->last;
}

Ranks RanksWithout(const Ranks& all, const Ranks& some) {
  Ranks rest;
  for (RankRange range : all) {
    auto next = std::lower_bound(some.begin(), some.end(), range.first,
                                 [](const RankRange& other, int32_t rank) { return other.last < rank; });
    for (; next != some.end() && next->first <= range.last; ++next) {
      if (next->first > range.first) rest.push_back({range.first, next->first - 1});
      if (next->last >= range.last) break;
      range.first = next->last + 1;
    }
    if (next == some.end() || next->first > range.last) rest.push_back(range);
  }
  return rest;
}

std::string RanksText(const Ranks& ranks) {
  std::string text;
  for (const RankRange& range : ranks) {
    text += (text.empty() ? "" : ",") + std::to_string(range.first);
    if (range.last != range.first) text += "-" + std::to_string(range.last);
  }
  return text;
}

Absence ReadAbsence(std::string_view description) {
  Absence absence;
  if (SaysMissing(description)) {
    absence.why = description.substr(kMissing.size());
    return absence;
  }
  const size_t colon = description.find(": ");
  const bool partly = description.substr(0, kPartly.size()) == kPartly && colon != std::string_view::npos &&
                      ParseRanks(description.substr(kPartly.size(), colon - kPartly.size()), &absence.ranks);
  if (!partly) return {{}, "", std::string(description)};
  const std::string_view rest = description.substr(colon + 2);
  const size_t end = rest.find("; ");
  absence.why = rest.substr(0, end);
  if (end != std::string_view::npos) absence.text = rest.substr(end + 2);
  return absence;
}

std::string DescribeAbsence(const Absence& absence) {
  if (absence.why.empty()) return absence.text;
  if (!absence.IsPartial()) return std::string(kMissing) + absence.why;
  // The reason ends at the first "; ".
  std::string why = absence.why;
  for (size_t at = 0; (at = why.find("; ", at)) != std::string::npos;) why[at] = ',';
  return std::string(kPartly) + RanksText(absence.ranks) + ": " + why + (absence.text.empty() ? "" : "; ") +
         absence.text;
}

}  // namespace epik::archive
