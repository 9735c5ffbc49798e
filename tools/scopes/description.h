// SPDX-License-Identifier: BSD-3-Clause
// The description of scopes. Users write it in this language (docs/scopes.md), and it goes to the hosts in the same
// form:
//
//   gather tree 8               # how the hosts are gathered; likewise: helpers 2, priority low
//   scope solver                # then one or more scopes
//     from calls                # calls, links, work, visits
//     where callpath ~ *solve*  # any number of conditions; all must hold
//     reduce statistics         # none, last, statistics, sum
//     rate 500ms
#ifndef EPIK_TOOLS_SCOPES_DESCRIPTION_H_
#define EPIK_TOOLS_SCOPES_DESCRIPTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/scopes/rows.h"

namespace epik::scopes {

enum class Source { kCalls, kLinks, kWork, kVisits };
enum class Reduce { kNone, kLast, kStatistics, kSum };
enum class Field { kCallPath, kCommunicator, kRegion, kRank, kThread, kSequence, kSeconds };
enum class Relation { kIs, kIsNot, kLike, kBelow, kAbove, kEvery };

struct Condition {
  Field field = Field::kCallPath;
  Relation relation = Relation::kIs;
  std::string text;   // of names
  double number = 0;  // of figures
};

struct Description {
  std::string name;
  Source source = Source::kCalls;
  Reduce reduce = Reduce::kStatistics;
  std::vector<Condition> where;
  double rate_s = 0;  // seconds between two readings at least; 0: at each request
};

struct Plan {
  std::vector<Description> scopes;
  uint32_t fan_out = 0;     // hosts that one place gathers from; 0: any number
  bool one_by_one = false;  // the hosts are asked one after the other
  uint32_t helpers = 0;     // threads that read a host's arenas besides the first
  bool low_priority = false;
};

inline constexpr size_t kMostDescriptionBytes = 32768;
inline constexpr size_t kMostScopes = 32;

// False: *error names `file`, the line and the word, and what is accepted there.
bool ParseDescription(std::string_view text, const std::string& file, Plan* plan, std::string* error);
// ParseDescription makes the same plan of it.
std::string WriteDescription(const Plan& plan);

// Whether all conditions about names hold, for the call path, its last region, and its communicator.
bool NamesMatch(const Description& scope, std::string_view path, std::string_view region,
                std::string_view communicator);
// Whether all conditions about figures hold.
bool FiguresMatch(const Description& scope, const Part& part);

}  // namespace epik::scopes

#endif  // EPIK_TOOLS_SCOPES_DESCRIPTION_H_
