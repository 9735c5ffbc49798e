// SPDX-License-Identifier: BSD-3-Clause
// Any tree of stations brings up what one place with all parts computes.
#include "tools/scopes/station.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <tuple>

#include "tools/scopes/simulated.h"

namespace epik::scopes {
namespace {

Plan PlanOf(const std::string& text) {
  Plan plan;
  std::string error;
  EXPECT_TRUE(ParseDescription(text, "test", &plan, &error)) << error;
  return plan;
}

constexpr char kScopes[] = "scope all\n from calls\nscope last\n from calls\n reduce last\nscope work\n from work\n";

// By communicator, path and rank: how often the rank came last, and how late.
using Arrivals = std::map<std::tuple<uint64_t, std::string, int32_t>, std::pair<uint64_t, double>>;
using Wrappers = std::map<std::tuple<std::string, int32_t>, WrapperRow>;

struct Gathered {
  Arrivals all, last;
  Wrappers wrappers;
  Work work;
  uint64_t calls = 0, incomplete = 0;
};

void AddArrivals(const std::vector<LastArrival>& rows, const Paths& paths, Arrivals* arrivals) {
  for (const LastArrival& row : rows) {
    auto& [count, late] = (*arrivals)[{row.communicator, paths.NameOf(row.path), row.rank}];
    count += row.count;
    late += row.late;
  }
}

void AddBatch(const Batch& batch, const Paths& paths, Gathered* all) {
  AddArrivals(batch.scopes[0].arrivals, paths, &all->all);
  AddArrivals(batch.scopes[1].arrivals, paths, &all->last);
  for (const WrapperRow& row : batch.scopes[0].wrappers) {
    WrapperRow& sum = all->wrappers[{paths.NameOf(row.key.path), row.key.rank}];
    sum.total.Merge(row.total);
    sum.arrival.Merge(row.arrival);
    sum.departure.Merge(row.departure);
  }
  all->work = batch.scopes[2].work;
  all->calls += batch.scopes[0].gathered;
  all->incomplete += batch.scopes[0].incomplete;
}

// All parts in one place.
Gathered Directly(const SimulatedJob& job, uint32_t calls) {
  Gathered all;
  std::map<std::pair<uint64_t, uint32_t>, std::vector<Part>> meetings;
  for (uint32_t call = 0; call < calls; ++call) {
    for (uint32_t rank = 0; rank < job.ranks; ++rank) {
      const Part part = job.PartOf(rank, call);
      meetings[{part.communicator, call}].push_back(part);
    }
  }
  for (const auto& [key, parts] : meetings) {
    const Part* last = &parts[0];
    double first_left = last->left;
    for (const Part& part : parts) {
      if (part.entered > last->entered) last = &part;
      first_left = std::min(first_left, part.left);
    }
    double late = 0;
    for (const Part& part : parts) late += last->entered - part.entered;
    auto& [count, sum] = all.all[{key.first, SimulatedJob::PathName(last->path), last->rank}];
    ++count;
    sum += late / static_cast<double>(parts.size() - 1);
    for (const Part& part : parts) {
      WrapperRow& row = all.wrappers[{SimulatedJob::PathName(part.path), part.rank}];
      row.total.Add(part.left - part.entered);
      row.arrival.Add(last->entered - part.entered);
      row.departure.Add(part.left - first_left);
    }
  }
  all.calls = meetings.size();
  return all;
}

void ExpectNear(const Summary& a, const Summary& b) {
  EXPECT_EQ(a.count, b.count);
  EXPECT_NEAR(a.mean, b.mean, 1e-12);
  EXPECT_NEAR(a.squares, b.squares, 1e-9);
  EXPECT_EQ(a.min, b.min);
  EXPECT_EQ(a.max, b.max);
}

void ExpectSame(const Arrivals& a, const Arrivals& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [key, times] : a) {
    ASSERT_TRUE(b.count(key) == 1);
    EXPECT_EQ(times.first, b.at(key).first);
    EXPECT_NEAR(times.second, b.at(key).second, 1e-9);
  }
}

TEST(Station, ATreeGathersWhatOnePlaceComputes) {
  for (const std::string shape : {"flat", "tree 1", "tree 2", "tree 3 sequential", "tree 16"}) {
    for (const uint32_t ranks_of_host : {1u, 3u, 8u}) {
      const SimulatedJob job = {48, ranks_of_host, 5, true};
      SimulatedTree tree = Simulate(job, PlanOf("gather " + shape + "\n" + kScopes));
      Gathered all;
      for (int pull = 0; pull < 12; ++pull) AddBatch(tree.root->Pull(1), tree.root->paths(), &all);
      const Gathered truth = Directly(job, 60);
      EXPECT_EQ(all.calls, truth.calls) << shape;
      EXPECT_EQ(all.incomplete, 0u);
      ExpectSame(all.all, truth.all);
      ExpectSame(all.last, truth.all);
      ASSERT_EQ(all.wrappers.size(), truth.wrappers.size());
      for (const auto& [key, row] : truth.wrappers) {
        ExpectNear(all.wrappers.at(key).total, row.total);
        ExpectNear(all.wrappers.at(key).arrival, row.arrival);
        ExpectNear(all.wrappers.at(key).departure, row.departure);
      }
      EXPECT_EQ(all.work.processes, 48u);
      EXPECT_EQ(all.work.useful, 48.0 + 47 * 48 / 2);
      EXPECT_EQ(all.work.most, 48);
    }
  }
}

TEST(Station, ALostHostIsNamedAndTheOthersGoOn) {
  const SimulatedJob job = {8, 2, 4, true};
  SimulatedTree tree = Simulate(job, PlanOf(kScopes));
  Gathered before, after;
  AddBatch(tree.root->Pull(1), tree.root->paths(), &before);
  tree.children[2]->is_killed = true;
  Batch last = tree.root->Pull(1);
  AddBatch(last, tree.root->paths(), &after);
  last = tree.root->Pull(1);
  AddBatch(last, tree.root->paths(), &after);
  ASSERT_EQ(last.hosts.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(last.hosts[i].lost, i == 2 ? "was killed" : "") << i;
  EXPECT_EQ(last.hosts[2].processes, 0u);
  // The pairs of the others, twice. Calls of all ranks are never complete; those of the first pull are given up.
  EXPECT_EQ(before.calls, 3 + 4u);
  EXPECT_EQ(after.calls, 2 * 3u);
  EXPECT_EQ(after.incomplete, 3u);
  EXPECT_EQ(after.work.processes, 6u);
}

TEST(Station, TheTimeIsThatOfTheFirstProcessWhateverTheScopes) {
  for (const std::string scope : {"from calls", "from links", "from visits"}) {
    const SimulatedJob job = {8, 2, 4, false};
    SimulatedTree tree = Simulate(job, PlanOf("gather tree 1\nscope a\n " + scope + "\n"));
    for (const double read : {8.0, 12.0}) {  // by the last of four hosts, which begin one after the other
      const Times times = tree.root->Pull(1).times;
      EXPECT_EQ(times.began, 1) << scope;
      EXPECT_EQ(times.read, read) << scope;
    }
    tree.children[0]->is_killed = true;
    for (int i = 0; i < 2; ++i) {
      const Times times = tree.root->Pull(1).times;
      EXPECT_EQ(times.began, 1) << "of a host that is lost by now";
      EXPECT_EQ(times.read, 0);
    }
  }
}

TEST(Station, WithoutReductionAllPartsCome) {
  const SimulatedJob job = {6, 2, 4, false};
  SimulatedTree tree = Simulate(job, PlanOf("gather tree 1\nscope raw\n from calls\n reduce none\n where rank > 2\n"));
  const Batch batch = tree.root->Pull(1);
  ASSERT_EQ(batch.scopes[0].parts.size(), 3 * 4u);
  for (const Part& part : batch.scopes[0].parts) {
    const Part truth = job.PartOf(static_cast<uint32_t>(part.rank), part.sequence);
    EXPECT_EQ(part.entered, truth.entered);
    EXPECT_EQ(tree.root->paths().NameOf(part.path), SimulatedJob::PathName(truth.path));
  }
}

// A scope with a rate is read several times before its rows are taken.
TEST(Scope, WorkOfSeveralReadingsIsThatOfOneLongOne) {
  Scope scope(PlanOf("scope work\n from work\n rate 1m\n").scopes[0]);
  Work before, after;
  before.processes = after.processes = 1;
  before.interval = after.interval = 0.5;
  before.useful = before.most = 0.25;
  after.useful = after.most = 0.125;
  before.visits = before.entered = 10;
  after.visits = 16, after.entered = 6;
  after.standing = 1;
  StandingRow standing;
  standing.count = standing.stands = 1;
  for (const int process : {1, 2, 3}) {
    scope.Add(process, before, {});
    scope.Add(process, after, standing);
  }
  Work ended;
  ended.visits = ended.entered = 1;
  scope.Add(3, ended, {});
  const Rows rows = scope.Take(true);
  EXPECT_EQ(rows.work.processes, 2u);
  EXPECT_EQ(rows.work.interval, 1.0);
  EXPECT_EQ(rows.work.useful, 2 * 0.375);
  EXPECT_EQ(rows.work.most, 0.375);
  EXPECT_EQ(rows.work.visits, 16 + 16 + 1);
  EXPECT_EQ(rows.work.entered, 16 + 16 + 17);
  EXPECT_EQ(rows.work.standing, 2u);
  ASSERT_EQ(rows.standing.size(), 1u);
  EXPECT_EQ(rows.standing[0].count, 2u);
  EXPECT_EQ(scope.Take(true).work.processes, 0u) << "taken twice";
}

TEST(Station, AScopeIsAskedAtItsOwnRate) {
  const SimulatedJob job = {4, 4, 4, true};
  SimulatedTree tree = Simulate(job, PlanOf("scope fast\n from calls\nscope slow\n from calls\n rate 1m\n"));
  const Batch first = tree.root->Pull(1), second = tree.root->Pull(1);
  EXPECT_NE(first.scopes[1].gathered, 0u);
  EXPECT_NE(second.scopes[0].gathered, 0u);
  EXPECT_EQ(second.scopes[1].gathered, 0u);
}

class FillingHost : public SimulatedHost {
 public:
  using SimulatedHost::SimulatedHost;
  bool IsFilling() const override { return is_filling; }
  bool is_filling = true;
};

TEST(Station, ReadsBetweenPullsWhatWouldBeOverwritten) {
  const SimulatedJob job = {.ranks = 4, .ranks_of_host = 4, .calls = 10};
  auto own = std::make_unique<FillingHost>(job, 0);
  FillingHost* host = own.get();
  Station station(PlanOf(kScopes), std::move(own), true);
  for (int i = 0; i < 2; ++i) {
    while (!station.ReadIfFilling()) {
    }
  }
  host->is_filling = false;
  EXPECT_FALSE(station.ReadIfFilling());
  const Batch batch = station.Pull(1);
  EXPECT_EQ(batch.scopes[0].gathered, 30u);
  EXPECT_EQ(batch.scopes[2].work.processes, 4u);
  EXPECT_EQ(batch.scopes[2].work.interval, 3);
  EXPECT_EQ(batch.communicators.size(), 1u);
  EXPECT_EQ(batch.hosts.size(), 1u);
  EXPECT_EQ(station.Pull(1).scopes[0].gathered, 10u);
}

}  // namespace
}  // namespace epik::scopes
