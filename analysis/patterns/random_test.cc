// SPDX-License-Identifier: BSD-3-Clause
// Replay must find in the traces of random programs exactly the waits that were planted, and no others in parts of
// these traces.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/causes/delays.h"
#include "analysis/graph/builder.h"
#include "analysis/patterns/patterns.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_noise.h"
#include "analysis/replay/test_program.h"
#include "analysis/replay/test_tasks.h"

namespace epik::patterns {
namespace {

using replay::Program;
using Waits = std::map<std::string, int64_t>;

// Whether the pattern is no waiting, or another wait state contains its time.
bool IsPartOfOther(const std::string& name) {
  constexpr const char* kParts[] = {"completion", "_wo", "lswo", "late_complete"};
  const auto is_in = [&](const char* part) { return name.find(part) != name.npos; };
  return std::any_of(std::begin(kParts), std::end(kParts), is_in);
}

// "pattern who call path" -> ns, where `who` is a rank, or the location when there is one process.
Waits FindIn(replay::Script* of, bool by_thread, replay::Totals* totals, replay::Unmatched* unmatched) {
  replay::Script& script = *of;
  const replay::World& world = script.world();
  Severities severities;
  const auto patterns = MakePatterns(&severities);
  std::vector<replay::Observer*> observers;
  for (const auto& pattern : patterns) observers.push_back(pattern.get());
  replay::MeasuredTime time(&world);
  replay::Replay replay(&world, script.Sources(), &time, observers);
  replay.Run();
  *totals = replay.totals();
  *unmatched = replay.unmatched();
  Waits found;
  for (const Severities::Row& row : severities.rows()) {
    const std::string name = AllPatterns()[row.pattern]->name;
    if (IsPartOfOther(name)) continue;
    const int rank = world.processes[world.locations[row.location].process].rank;
    const uint32_t who = by_thread ? row.location : static_cast<uint32_t>(rank);
    found[name + " " + std::to_string(who) + " " + script.PathName(row.path)] += row.ns;
  }
  return found;
}

Waits Find(const Program& program, int without, replay::Totals* totals, replay::Unmatched* unmatched) {
  replay::Script script(program.ranks());
  program.Write(without, &script);
  return FindIn(&script, false, totals, unmatched);
}

TEST(Random, WaitsForTasksAreFound) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    const replay::TaskProgram program(2 + static_cast<int>(seed % 4), 12, seed);
    replay::Script script(1);
    program.Write(&script);
    replay::Totals totals;
    replay::Unmatched unmatched;
    ASSERT_EQ(FindIn(&script, true, &totals, &unmatched), program.expected) << "seed " << seed;
    EXPECT_EQ(unmatched.Total(), 0u);
    EXPECT_EQ(totals.forced, 0u);
  }
}

TEST(Random, WhatWasPlantedIsFound) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Program program(2 + static_cast<int>(seed % 6), 150, seed, /*interrupts=*/true);
    replay::Totals totals;
    replay::Unmatched unmatched;
    const Waits found = Find(program, -1, &totals, &unmatched);
    ASSERT_EQ(found, program.expected) << "seed " << seed;
    EXPECT_EQ(totals.messages, program.messages);
    EXPECT_EQ(totals.collectives, program.collectives);
    EXPECT_EQ(unmatched.Total(), 0u);
    EXPECT_EQ(totals.violations, 0u);
    EXPECT_EQ(totals.forced, 0u) << "a whole trace never has to be forced";
  }
}

// Sums up the own time of each call path of each location.
class OwnTimes : public replay::Observer {
 public:
  unsigned wants() const override { return kFrames; }
  void Enter(uint32_t location, const replay::Frame& frame) override {
    Charge(location, frame.enter);
    open_[location].push_back(frame.path);
  }
  void Leave(uint32_t location, const replay::Frame& /*frame*/, int64_t ns) override {
    Charge(location, ns);
    open_[location].pop_back();
  }
  std::map<std::pair<uint32_t, uint32_t>, int64_t> ns;  // by location and call path

 private:
  void Charge(uint32_t location, int64_t until) {
    if (!open_[location].empty()) ns[{location, open_[location].back()}] += until - now_[location];
    now_[location] = until;
  }
  std::map<uint32_t, std::vector<uint32_t>> open_;
  std::map<uint32_t, int64_t> now_;
};

// Patterns and the graph find waits independently of each other, and both must fit into the calls.
TEST(Random, WaitsFitIntoTheirCallsAndAddUpToTheirCosts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Program program(2 + static_cast<int>(seed % 6), 150, seed, /*interrupts=*/true);
    replay::Script script(program.ranks());
    program.Write(-1, &script);
    const replay::World& world = script.world();
    replay::MeasuredTime time(&world);
    Severities severities;
    OwnTimes own;
    graph::Graph graph(world.locations.size());
    graph::GraphBuilder builder(&world, &graph);
    const auto patterns = MakePatterns(&severities);
    std::vector<replay::Observer*> observers = {&own, &builder};
    for (const auto& pattern : patterns) observers.push_back(pattern.get());
    replay::Replay(&world, script.Sources(), &time, observers).Run();
    builder.Finish();
    std::map<std::pair<uint32_t, uint32_t>, int64_t> by_patterns, by_graph;
    for (const Severities::Row& row : severities.rows()) {
      if (IsPartOfOther(AllPatterns()[row.pattern]->name)) continue;
      by_patterns[{row.location, row.path}] += row.ns;
    }
    const causes::Delays delays = causes::FindDelays(graph);
    for (const auto& [group, facts] : delays.groups) by_graph[{group.location, group.path}] += facts.ns;
    EXPECT_EQ(by_patterns, by_graph) << "seed " << seed;
    EXPECT_EQ(delays.Cost(), delays.waited_ns) << "seed " << seed;
    for (const auto& [where, ns] : by_patterns) EXPECT_LE(ns, own.ns.at(where)) << "seed " << seed;
  }
}

TEST(Random, OfAPartNothingElseIsFound) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Program program(3 + static_cast<int>(seed % 5), 150, seed, /*interrupts=*/true);
    replay::Totals totals;
    replay::Unmatched unmatched;
    for (const auto& [name, ns] : Find(program, static_cast<int>(seed) % program.ranks(), &totals, &unmatched)) {
      const auto known = program.expected.find(name);
      ASSERT_NE(known, program.expected.end()) << name << ", seed " << seed;
      EXPECT_LE(ns, known->second) << name << ", seed " << seed;
    }
    EXPECT_GT(unmatched.Total(), 0u);
    EXPECT_GT(totals.messages, 0u);
  }
}

TEST(Random, WhateverComesItEnds) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const replay::World world = replay::AnyWorld(2 + static_cast<int>(seed % 4), seed);
    Severities severities;
    const auto patterns = MakePatterns(&severities);
    std::vector<replay::Observer*> observers;
    for (const auto& pattern : patterns) observers.push_back(pattern.get());
    replay::MeasuredTime time(&world);
    replay::Replay replay(&world, replay::AnySources(world, seed), &time, observers);
    replay.Run();
    EXPECT_EQ(replay.totals().events, world.locations.size() * 400);
  }
}

}  // namespace
}  // namespace epik::patterns
