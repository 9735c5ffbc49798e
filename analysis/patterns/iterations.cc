// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/iterations.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/loops.h"
#include "analysis/patterns/wait_profile.h"

namespace epik::patterns {

using analysis::Loop;
using archive::Profile;

namespace {

constexpr size_t kMostRows = 64, kMostLoops = 16;

struct Spent {
  double time_s = 0;
  std::map<uint32_t, double> waits = {};  // by pattern
};

struct Waits {
  const Loop* loop;
  std::vector<Spent> values;
  double waited_s = 0;
};

// Part of another wait state, which contains its time.
bool IsPart(uint32_t pattern) {
  const auto& all = AllPatterns();
  const std::string parent = all[pattern]->parent;
  return std::any_of(all.begin(), all.end(), [&](const PatternInfo* info) { return info->name == parent; });
}

// By call path.
struct Spending {
  std::vector<double> time_s;
  std::vector<std::map<uint32_t, double>> waits;
};
Spending SpendingOf(const Profile& profile) {
  const size_t paths = profile.call_paths.size();
  Spending all{std::vector<double>(paths), std::vector<std::map<uint32_t, double>>(paths)};
  for (const Wait& wait : WaitsOf(profile)) {
    if (IsWaiting(*AllPatterns()[wait.pattern])) all.waits[wait.path][wait.pattern] += wait.seconds;
  }
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t path = 0; time != archive::kNone && path < paths; ++path) {
    if (!profile.values[time].Has(path)) continue;
    for (uint32_t l = 0; l < profile.locations.size(); ++l) all.time_s[path] += profile.values[time].Real(path, l);
  }
  return all;
}

Waits WaitsOfLoop(const Profile& profile, const Spending& spending, const Loop& loop) {
  Waits made{&loop, std::vector<Spent>(loop.values.size())};
  for (size_t v = 0; v < loop.values.size(); ++v) {
    analysis::ForEachPath(profile, loop.values[v], [&](uint32_t path) {
      made.values[v].time_s += spending.time_s[path];
      for (const auto& [pattern, seconds] : spending.waits[path]) {
        made.values[v].waits[pattern] += seconds;
        if (!IsPart(pattern)) made.waited_s += seconds;
      }
    });
  }
  return made;
}

findings::Iterations RowsOf(const Waits& waits) {
  const Loop& loop = *waits.loop;
  findings::Iterations made;
  made.callpath = loop.callpath;
  made.parameter = loop.parameter;
  const size_t count = loop.values.size();
  const size_t each = (count + kMostRows - 1) / kMostRows;
  const size_t rows = (count + each - 1) / each;
  made.time_s.resize(rows);
  std::map<uint32_t, std::vector<double>> by_pattern;
  for (size_t i = 0; i < count; ++i) {
    if (i % each == 0) made.first.push_back(loop.values[i].text);
    if (i % each == each - 1 || i + 1 == count) made.last.push_back(loop.values[i].text);
    made.time_s[i / each] += waits.values[i].time_s;
    for (const auto& [pattern, seconds] : waits.values[i].waits) {
      std::vector<double>& row = by_pattern[pattern];
      row.resize(rows);
      row[i / each] += seconds;
    }
  }
  for (auto& [pattern, seconds] : by_pattern) {
    made.patterns.push_back({AllPatterns()[pattern]->name, std::move(seconds)});
  }
  return made;
}

}  // namespace

std::vector<findings::Iterations> IterationsOf(const Profile& profile) {
  const std::vector<Loop> loops = analysis::LoopsOf(profile);
  if (loops.empty()) return {};
  const Spending spending = SpendingOf(profile);
  std::vector<Waits> waits;
  for (const Loop& loop : loops) waits.push_back(WaitsOfLoop(profile, spending, loop));
  std::stable_sort(waits.begin(), waits.end(), [](const Waits& a, const Waits& b) { return a.waited_s > b.waited_s; });
  if (waits.size() > kMostLoops) waits.resize(kMostLoops);
  std::vector<findings::Iterations> all;
  for (const Waits& of_loop : waits) all.push_back(RowsOf(of_loop));
  return all;
}

}  // namespace epik::patterns
