// SPDX-License-Identifier: BSD-3-Clause
// Finds all wait states of a short trace.
#ifndef EPIK_ANALYSIS_PATTERNS_TEST_LOOK_H_
#define EPIK_ANALYSIS_PATTERNS_TEST_LOOK_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/patterns/patterns.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_script.h"

namespace epik::patterns {

using Waits = std::map<std::string, int64_t>;

struct Found {
  Waits waits;  // "pattern rank callpath" -> ns
  std::map<std::string, uint64_t> instances;
  replay::Totals totals;
  replay::Unmatched unmatched;
};

inline Found Look(replay::Script* script) {
  const replay::World& world = script->world();
  Severities severities;
  const auto patterns = MakePatterns(&severities);
  std::vector<replay::Observer*> observers;
  for (const auto& pattern : patterns) observers.push_back(pattern.get());
  replay::MeasuredTime time(&world);
  replay::Replay replay(&world, script->Sources(), &time, observers);
  replay.Run();
  Found found;
  found.totals = replay.totals();
  found.unmatched = replay.unmatched();
  for (const Severities::Row& row : severities.rows()) {
    const std::string name = std::string(AllPatterns()[row.pattern]->name) + " " +
                             std::to_string(world.processes[world.locations[row.location].process].rank) + " " +
                             script->PathName(row.path);
    found.waits[name] = row.ns;
    found.instances[name] = row.instances;
  }
  return found;
}

}  // namespace epik::patterns

#endif  // EPIK_ANALYSIS_PATTERNS_TEST_LOOK_H_
