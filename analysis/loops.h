// SPDX-License-Identifier: BSD-3-Clause
// Phases and parameters of a profile with their values: "step=3" and its siblings are the loop `step`.
#ifndef EPIK_ANALYSIS_LOOPS_H_
#define EPIK_ANALYSIS_LOOPS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "archive/profile/profile.h"

namespace epik::analysis {

struct LoopValue {
  std::string text;
  std::vector<uint32_t> paths;  // several if the loop is below the values of another one
};

// A phase or parameter below one call path. The values of a loop around it do not count as callers, so an inner loop is
// one loop.
struct Loop {
  std::string callpath;  // "main > step"; empty: it has no caller
  std::string parameter;
  // Numbers stand in the order of their size. If a value is no number, all have the order in which they came.
  std::vector<LoopValue> values;
};

// Loops with one value tell nothing about change, and are left out.
std::vector<Loop> LoopsOf(const archive::Profile& profile);

// The first call path behind `path` and its callees.
uint32_t EndOfCallees(const archive::Profile& profile, uint32_t path);

// Calls `each(path)` once for each call path that ran with the value.
template <class Each>
void ForEachPath(const archive::Profile& profile, const LoopValue& value, Each&& each) {
  uint32_t end = 0;
  for (const uint32_t first : value.paths) {
    if (first < end) continue;  // the program set the value again while it had it
    end = EndOfCallees(profile, first);
    for (uint32_t path = first; path < end; ++path) each(path);
  }
}

}  // namespace epik::analysis

#endif  // EPIK_ANALYSIS_LOOPS_H_
