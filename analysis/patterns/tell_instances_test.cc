// SPDX-License-Identifier: BSD-3-Clause
// The longest instances have the names and amounts of wait states.
#include "analysis/patterns/tell_instances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "analysis/graph/builder.h"
#include "analysis/patterns/patterns.h"
#include "analysis/patterns/states_of_causes.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/seconds.h"
#include "analysis/replay/test_program.h"
#include "analysis/replay/test_tasks.h"

namespace epik::patterns {
namespace {

using replay::Script;

struct Told {
  std::vector<findings::Instance> instances;
  std::map<std::string, double> waited;  // by wait state, with its call path behind it
  Severities severities;
};

std::unique_ptr<Told> Tell(Script* script) {
  replay::World world = script->world();
  archive::Profile profile;
  for (uint32_t path = 0; script->PathName(path) != "?"; ++path) {
    profile.regions.emplace_back().name = script->PathName(path);
    profile.call_paths.push_back({.region = path});
  }
  for (uint32_t l = 0; l < world.locations.size(); ++l) {
    world.locations[l].column = l;
    profile.locations.emplace_back().thread = static_cast<int>(world.locations[l].number);
  }
  auto told = std::make_unique<Told>();
  const auto patterns = MakePatterns(&told->severities);
  graph::Graph graph(world.locations.size());
  graph::GraphBuilder builder(&world, &graph);
  std::vector<replay::Observer*> observers = {&builder};
  for (const auto& pattern : patterns) observers.push_back(pattern.get());
  replay::MeasuredTime time(&world);
  replay::Replay(&world, script->Sources(), &time, observers).Run();
  builder.Finish();
  for (const Severities::Row& row : told->severities.rows()) {
    const std::string name = AllPatterns()[row.pattern]->name;
    told->waited[name] += replay::Seconds(row.ns);
    told->waited[name + " " + script->PathName(row.path)] += replay::Seconds(row.ns);
  }
  told->instances = TellInstances(told->severities, graph, world, profile);
  return told;
}

// "wait state: nanoseconds from-to THREAD for THREAD, kind"
std::string Words(const findings::Instance& one) {
  const auto ns = [](double seconds) { return std::to_string(std::llround(seconds * 1e9)); };
  return one.wait_state + ": " + ns(one.seconds) + " " + ns(one.from_s) + "-" + ns(one.to_s) + " " +
         std::to_string(one.who.thread) + " for " + std::to_string(one.waited_for.thread) + ", " + one.kind;
}
std::set<std::string> Words(const Told& told) {
  std::set<std::string> words;
  for (const findings::Instance& one : told.instances) words.insert(Words(one));
  return words;
}

// 1 runs two tasks of its own in the barrier, and waits before, between and after them: in one instance of the barrier.
TEST(Instances, AreAllWaitsOfOneCall) {
  Script script(1);
  script.Add(
      R"(0: 0 > m | 2 team_begin 0 1 0 | 20 > create | 20 task_create 7 | 21 < | 40 > create | 40 task_create 8 | 41 < | 42 > create | 42 task_create 9 | 43 < | 45 > omp_ibarrier | 45 barrier | 46 > task | 46 task_begin 9 | 89 task_end 9 | 90 < | 90 task_switch 0 | 91 < | 99 <
         0.1: 2 > m | 2 team_begin 0 1 1 | 5 > omp_ibarrier | 5 barrier | 22 > task | 22 task_begin 7 | 30 task_end 7 | 30 < | 30 task_switch 0 | 44 > task | 44 task_begin 8 | 50 task_end 8 | 50 < | 50 task_switch 0 | 91 < | 92 <)");
  EXPECT_EQ(Words(*Tell(&script)), (std::set<std::string>{"omp_ibarrier_creation: 25 5-40 1 for 0, delay_taskcreation",
                                                          "omp_ibarrier_tasks: 39 50-89 1 for 0, delay_task",
                                                          "omp_ibarrier_wait: 31 5-44 1 for 0, delay_taskcreation"}));
}

TEST(Instances, OfAMessageAndOfABarrier) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 10 > work | 50 < | 50 > MPI_Send | 51 send 1 5 w 8 | 60 < | 70 > MPI_Barrier | 71 collective_begin MPI_Barrier 0 | 95 collective_end MPI_Barrier w -1 0 0 0 | 96 < | 99 <
                1: 0 > m | 10 > MPI_Recv | 61 receive 0 5 w 8 | 62 < | 90 > MPI_Barrier | 91 collective_begin MPI_Barrier 0 | 95 collective_end MPI_Barrier w -1 0 0 0 | 96 < | 99 <)");
  const std::unique_ptr<Told> told = Tell(&script);
  ASSERT_GE(told->instances.size(), 1u);
  EXPECT_EQ(Words(told->instances[0]), "mpi_latesender: 40 10-50 0 for 0, delay_latesender");
  EXPECT_EQ(told->instances[0].who.rank, 1);
  EXPECT_EQ(told->instances[0].waited_for.rank, 0);
  EXPECT_EQ(told->instances[0].callpath, "m > MPI_Recv");
  ASSERT_EQ(told->instances.size(), 2u) << "the barrier's completion waits for nobody";
  EXPECT_EQ(Words(told->instances[1]), "mpi_barrier_wait: 20 71-91 0 for 0, delay_barrier");
  EXPECT_EQ(told->instances[1].waited_for.rank, 1);
}

// Instances are parts of what --waits has: none is longer than its wait state at its call path, and together those of a
// wait state are not longer than it. Each says whom it waited for, and in which way.
void ExpectWithinWaits(const Told& told) {
  std::map<std::string, double> sums;
  for (const findings::Instance& one : told.instances) {
    ASSERT_TRUE(told.waited.contains(one.wait_state)) << Words(one);
    EXPECT_LE(one.seconds, told.waited.at(one.wait_state + " " + one.callpath) + 1e-12) << Words(one);
    EXPECT_LE(one.seconds, one.to_s - one.from_s + 1e-12) << Words(one);
    EXPECT_TRUE(one.kind.starts_with("delay_")) << Words(one);
    sums[one.wait_state] += one.seconds;
  }
  for (const auto& [state, seconds] : sums) EXPECT_LE(seconds, told.waited.at(state) + 1e-12) << state;
}

TEST(Instances, OfTasksAreWithinTheirWaitStates) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    Script script(1);
    replay::TaskProgram(2 + static_cast<int>(seed % 3), 4, seed).Write(&script);
    const std::unique_ptr<Told> told = Tell(&script);
    ExpectWithinWaits(*told);
    for (const findings::Instance& one : told->instances) EXPECT_NE(one.waited_for.rank, -1) << Words(one);
  }
}

TEST(Instances, OfProcessesAreWithinTheirWaitStates) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const replay::Program program(2 + static_cast<int>(seed % 4), 30, seed);
    Script script(program.ranks());
    program.Write(-1, &script);
    ExpectWithinWaits(*Tell(&script));
  }
}

TEST(StatesOfCauses, HaveAllThatAreWaitedFor) {
  std::set<causes::Class> kinds;
  for (uint32_t state = 0; state < AllPatterns().size(); ++state) {
    if (!IsWaiting(*AllPatterns()[state]) || IsCompletion(*AllPatterns()[state])) continue;
    EXPECT_FALSE(KindsOf(state).empty()) << AllPatterns()[state]->name;
    for (const causes::Class kind : KindsOf(state)) kinds.insert(kind);
  }
  for (int kind = 0; kind < causes::kClasses; ++kind) {
    const auto known = static_cast<causes::Class>(kind);
    EXPECT_EQ(kinds.contains(known), causes::IsWaiting(known)) << causes::Classes()[known].metric;
    for (const uint32_t state : StatesOf(known)) EXPECT_LT(state, AllPatterns().size());
  }
}

// The wait state of a group is one that its thread has at that call path.
TEST(StatesOfCauses, AreThoseOfTheCallPath) {
  Severities severities;
  const auto number = [](const std::string& name) {
    for (uint32_t state = 0; state < AllPatterns().size(); ++state) {
      if (name == AllPatterns()[state]->name) return state;
    }
    return replay::kNone;
  };
  severities.Add(number("omp_ebarrier_tasks"), 1, 5, {0, 9, 9});
  severities.Add(number("omp_ibarrier_tasks"), 1, 6, {0, 9, 9});
  severities.Add(number("omp_ibarrier_wait"), 1, 7, {0, 9, 9});
  severities.Add(number("omp_taskwait_wait"), 2, 7, {0, 9, 9});
  const auto state = [&](uint32_t location, uint32_t path, causes::Class kind) {
    const Severities::Row* row = StateOf(severities, {location, path, kind});
    return row == nullptr ? "" : std::string(AllPatterns()[row->pattern]->name);
  };
  EXPECT_EQ(state(1, 5, causes::kTask), "omp_ebarrier_tasks");
  EXPECT_EQ(state(1, 6, causes::kTask), "omp_ibarrier_tasks");
  EXPECT_EQ(state(1, 6, causes::kTaskCreation), "omp_ibarrier_tasks");
  EXPECT_EQ(state(1, 7, causes::kTask), "omp_ibarrier_wait");
  EXPECT_EQ(state(2, 7, causes::kTask), "omp_taskwait_wait");
  EXPECT_EQ(state(2, 5, causes::kTask), "");
  EXPECT_EQ(state(1, 5, causes::kLateSender), "");
}

}  // namespace
}  // namespace epik::patterns
