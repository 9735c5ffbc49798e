// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/patterns/iterations.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "analysis/patterns/wait_profile.h"

namespace epik::patterns {

using archive::kNone;
using archive::Profile;

namespace {

constexpr size_t kMostRows = 64, kMostLoops = 16;
constexpr char kValueRole[] = "dynamic";  // role of a region that is a value of a phase or parameter: "step=3"

// The visits of a call path with one value.
struct Value {
  std::string text;
  uint32_t path;
  double time_s = 0;
  std::map<uint32_t, double> waits = {};  // by pattern
};

// A phase or parameter below one call path.
struct Loop {
  uint32_t parent = kNone;
  std::string parameter;
  std::vector<Value> values;
  double waited_s = 0;
};

std::optional<long long> NumberIn(const std::string& text) {
  long long number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Sorts numbers by their size. If a value is no number, all keep the order in which they came.
void Sort(std::vector<Value>* values) {
  const bool numbers =
      std::all_of(values->begin(), values->end(), [](const Value& value) { return NumberIn(value.text).has_value(); });
  if (!numbers) return;
  std::stable_sort(values->begin(), values->end(),
                   [](const Value& a, const Value& b) { return NumberIn(a.text) < NumberIn(b.text); });
}

std::vector<Loop> LoopsOf(const Profile& profile) {
  std::map<std::pair<uint32_t, std::string>, Loop> loops;
  for (uint32_t path = 0; path < profile.call_paths.size(); ++path) {
    const archive::Region& region = profile.regions[profile.call_paths[path].region];
    const size_t equals = region.name.find('=');
    if (region.role != kValueRole || equals == std::string::npos) continue;
    const uint32_t parent = profile.call_paths[path].parent;
    Loop& loop = loops[{parent, region.name.substr(0, equals)}];
    loop.parent = parent;
    loop.parameter = region.name.substr(0, equals);
    loop.values.push_back({region.name.substr(equals + 1), path});
  }
  std::vector<Loop> all;
  for (auto& [key, loop] : loops) all.push_back(std::move(loop));
  return all;
}

// For each call path, the values that it is below: (loop, value). A call path may be in several loops.
std::vector<std::vector<std::pair<size_t, size_t>>> ValuesAround(const Profile& profile,
                                                                 const std::vector<Loop>& loops) {
  std::vector<std::vector<std::pair<size_t, size_t>>> around(profile.call_paths.size());
  for (size_t l = 0; l < loops.size(); ++l) {
    for (size_t v = 0; v < loops[l].values.size(); ++v) around[loops[l].values[v].path].emplace_back(l, v);
  }
  // Parents come first.
  for (uint32_t path = 0; path < around.size(); ++path) {
    const uint32_t parent = profile.call_paths[path].parent;
    if (parent == kNone) continue;
    around[path].insert(around[path].end(), around[parent].begin(), around[parent].end());
  }
  return around;
}

void Fill(const Profile& profile, std::vector<Loop>* loops) {
  const auto around = ValuesAround(profile, *loops);
  const auto& all = AllPatterns();
  for (const Wait& wait : WaitsOf(profile)) {
    for (const auto& [l, v] : around[wait.path]) {
      Loop& loop = (*loops)[l];
      loop.values[v].waits[wait.pattern] += wait.seconds;
      const auto is_part = [&](const PatternInfo* info) {
        return info->name == std::string(all[wait.pattern]->parent);
      };
      if (std::none_of(all.begin(), all.end(), is_part)) loop.waited_s += wait.seconds;
    }
  }
  const uint32_t time = profile.FindMetric("time");
  for (uint32_t path = 0; time != kNone && path < around.size(); ++path) {
    if (around[path].empty() || !profile.values[time].Has(path)) continue;
    double seconds = 0;
    for (uint32_t l = 0; l < profile.locations.size(); ++l) seconds += profile.values[time].Real(path, l);
    for (const auto& [l, v] : around[path]) (*loops)[l].values[v].time_s += seconds;
  }
}

findings::Iterations RowsOf(const Profile& profile, Loop* loop) {
  Sort(&loop->values);
  findings::Iterations made;
  if (loop->parent != kNone) made.callpath = profile.PathName(loop->parent);
  made.parameter = loop->parameter;
  const size_t each = (loop->values.size() + kMostRows - 1) / kMostRows;
  const size_t rows = (loop->values.size() + each - 1) / each;
  made.time_s.resize(rows);
  std::map<uint32_t, std::vector<double>> waits;
  for (size_t i = 0; i < loop->values.size(); ++i) {
    const Value& value = loop->values[i];
    if (i % each == 0) made.first.push_back(value.text);
    if (i % each == each - 1 || i + 1 == loop->values.size()) made.last.push_back(value.text);
    made.time_s[i / each] += value.time_s;
    for (const auto& [pattern, seconds] : value.waits) {
      std::vector<double>& row = waits[pattern];
      row.resize(rows);
      row[i / each] += seconds;
    }
  }
  for (auto& [pattern, seconds] : waits) made.patterns.push_back({AllPatterns()[pattern]->name, std::move(seconds)});
  return made;
}

}  // namespace

std::vector<findings::Iterations> IterationsOf(const Profile& profile) {
  std::vector<Loop> loops = LoopsOf(profile);
  // A loop with one value tells nothing about drift.
  std::erase_if(loops, [](const Loop& loop) { return loop.values.size() < 2; });
  if (loops.empty()) return {};
  Fill(profile, &loops);
  std::stable_sort(loops.begin(), loops.end(), [](const Loop& a, const Loop& b) { return a.waited_s > b.waited_s; });
  if (loops.size() > kMostLoops) loops.resize(kMostLoops);
  std::vector<findings::Iterations> all;
  for (Loop& loop : loops) all.push_back(RowsOf(profile, &loop));
  return all;
}

}  // namespace epik::patterns
