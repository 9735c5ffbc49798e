// SPDX-License-Identifier: BSD-3-Clause
// Random programs whose waits are known because they are made step by step: each operation begins when its processes
// come to it and ends when, by the definitions, it can. What replay finds in their traces must be the same. Of parts of
// these traces it must find nothing else.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "analysis/patterns/pattern.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_script.h"

namespace epik::patterns {
namespace {

using Waits = std::map<std::string, int64_t>;

class Program {
 public:
  Program(int ranks, int steps, unsigned seed) : random_(seed), now_(ranks, 1), lines_(ranks) {
    for (int r = 0; r < ranks; ++r) Say(r, "> m");
    for (int s = 0; s < steps; ++s) Step();
    for (int r = 0; r < ranks; ++r) Say(r, "<");
  }
  int ranks() const { return static_cast<int>(now_.size()); }
  // `without`: the trace of that rank is not there.
  Waits Find(int without, replay::Totals* totals, replay::Unmatched* unmatched) const {
    replay::Script script(ranks());
    for (int r = 0; r < ranks(); ++r) {
      if (r != without) script.Add(std::to_string(r) + ": " + lines_[r]);
    }
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
      if (name.find("completion") != name.npos || name.find("_wo") != name.npos || name.find("lswo") != name.npos) {
        continue;
      }
      const int rank = world.processes[world.locations[row.location].process].rank;
      found[name + " " + std::to_string(rank) + " " + script.PathName(row.path)] += row.ns;
    }
    return found;
  }

  Waits expected;
  uint64_t messages = 0, collectives = 0;

 private:
  int Pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  void Say(int rank, const std::string& what) { lines_[rank] += std::to_string(now_[rank]++) + " " + what + " | "; }
  void Expect(const std::string& pattern, int rank, const std::string& call, int64_t ns) {
    if (ns > 0) expected[pattern + " " + std::to_string(rank) + " m > " + call] += ns;
  }

  void Step() {
    for (int64_t& now : now_) now += Pick(50);
    switch (Pick(7)) {
      case 0: return Message("MPI_Bsend", false);
      case 1: return Message("MPI_Ssend", false);
      case 2: return Message("MPI_Bsend", true);
      case 3: return All("MPI_Barrier", "mpi_barrier_wait", 0);
      case 4: return All("MPI_Allreduce", "mpi_wait_nxn", 8);
      case 5: return Bcast();
      default: return Immediate();
    }
  }

  // `request`: received by a request that is waited for later.
  void Message(const std::string& send, bool request) {
    const int from = Pick(ranks());
    const int to = (from + 1 + Pick(ranks() - 1)) % ranks();
    const std::string tag = std::to_string(Pick(3)), bytes = std::to_string(8 * (1 + Pick(9)));
    ++messages;
    const std::string ends = " " + tag + " w " + bytes;
    int64_t posted = now_[to];
    if (request) {
      Say(to, "> MPI_Irecv");
      Say(to, "receive_begin 1");
      Say(to, "<");
      now_[to] += Pick(30);
    }
    const int64_t sends = now_[from], receives = now_[to];
    const bool waits = send == "MPI_Ssend";
    Say(from, "> " + send);
    Say(from, "send " + std::to_string(to) + ends);
    if (waits) now_[from] = std::max(now_[from], posted + 1);
    Say(from, "<");
    Say(to, request ? "> MPI_Wait" : "> MPI_Recv");
    now_[to] = std::max(now_[to], sends + 2);
    Say(to, (request ? "receive_end " : "receive ") + std::to_string(from) + ends + (request ? " 1" : ""));
    Say(to, "<");
    Expect("mpi_latesender", to, request ? "MPI_Wait" : "MPI_Recv", sends - receives);
    if (waits) Expect("mpi_latereceiver", from, send, posted - sends);
  }

  void All(const std::string& call, const std::string& pattern, int bytes) {
    ++collectives;
    std::vector<int64_t> begins;
    for (int r = 0; r < ranks(); ++r) {
      Say(r, "> " + call);
      begins.push_back(now_[r]);
      Say(r, "collective_begin " + call + " 0");
    }
    const int64_t last = *std::max_element(begins.begin(), begins.end());
    for (int r = 0; r < ranks(); ++r) {
      now_[r] = last + 1 + Pick(3);
      Expect(pattern, r, call, last - begins[r]);
      EndCollective(r, call, -1, bytes, bytes, 0);
    }
  }
  void EndCollective(int rank, const std::string& call, int root, int out, int in, int request) {
    Say(rank, "collective_end " + call + " w " + std::to_string(root) + " " + std::to_string(out) + " " +
                  std::to_string(in) + " " + std::to_string(request));
    Say(rank, "<");
  }

  void Bcast() {
    ++collectives;
    const int root = Pick(ranks());
    int64_t begins = 0;
    for (int i = 0; i < ranks(); ++i) {
      const int r = (root + i) % ranks();
      Say(r, "> MPI_Bcast");
      const int64_t mine = now_[r];
      if (r == root) begins = mine;
      Say(r, "collective_begin MPI_Bcast 0");
      if (r != root) now_[r] = std::max(now_[r], begins + 1);
      Expect("mpi_latebroadcast", r, "MPI_Bcast", begins - mine);
      EndCollective(r, "MPI_Bcast", root, r == root ? 8 : 0, 8, 0);
    }
  }

  void Immediate() {
    ++collectives;
    int64_t last = 0;
    for (int r = 0; r < ranks(); ++r) {
      Say(r, "> MPI_Iallreduce");
      last = std::max(last, now_[r]);
      Say(r, "collective_begin MPI_Iallreduce 9");
      Say(r, "<");
      now_[r] += Pick(40);
    }
    for (int r = 0; r < ranks(); ++r) {
      const int64_t waits = now_[r];
      Say(r, "> MPI_Wait");
      now_[r] = std::max(now_[r], last + 1);
      Expect("mpi_wait_nxn", r, "MPI_Wait", last - waits);
      EndCollective(r, "MPI_Iallreduce", -1, 8, 8, 9);
    }
  }

  std::mt19937 random_;
  std::vector<int64_t> now_;
  std::vector<std::string> lines_;
};

TEST(Random, WhatWasPlantedIsFound) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Program program(2 + static_cast<int>(seed % 6), 150, seed);
    replay::Totals totals;
    replay::Unmatched unmatched;
    const Waits found = program.Find(-1, &totals, &unmatched);
    ASSERT_EQ(found, program.expected) << "seed " << seed;
    EXPECT_EQ(totals.messages, program.messages);
    EXPECT_EQ(totals.collectives, program.collectives);
    EXPECT_EQ(unmatched.Total(), 0u);
    EXPECT_EQ(totals.violations, 0u);
    EXPECT_EQ(totals.forced, 0u) << "a whole trace never has to be forced";
  }
}

TEST(Random, OfAPartNothingElseIsFound) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Program program(3 + static_cast<int>(seed % 5), 150, seed);
    replay::Totals totals;
    replay::Unmatched unmatched;
    for (const auto& [name, ns] : program.Find(static_cast<int>(seed) % program.ranks(), &totals, &unmatched)) {
      const auto known = program.expected.find(name);
      ASSERT_NE(known, program.expected.end()) << name << ", seed " << seed;
      EXPECT_LE(ns, known->second) << name << ", seed " << seed;
    }
    EXPECT_GT(unmatched.Total(), 0u);
    EXPECT_GT(totals.messages, 0u);
  }
}

// Nested events with records that mean nothing together, as damage or malice leave them.
class AnyEvents : public replay::EventSource {
 public:
  AnyEvents(unsigned seed, int ranks) : random_(seed), ranks_(static_cast<unsigned>(ranks)) {}
  bool Next(epilog::Event* event) override {
    if (left_ == 0) return false;
    --left_;
    *event = epilog::Event();
    event->time = time_ += random_() % 5;
    event->made_up = random_() % 50 == 0;
    const unsigned what = random_() % 10;
    if (what < 3) {
      event->kind = event::RecordKind::kEnter;
      open_.push_back(1 + random_() % kNodes);
      event->node = open_.back();
    } else if (what < 5 && !open_.empty()) {
      event->kind = event::RecordKind::kExit;
      event->node = open_.back();
      open_.pop_back();
    } else {
      event->kind = static_cast<event::RecordKind>(random_() % 70);
      event->node = open_.empty() ? 0 : open_.back();
      for (uint64_t& field : event->field) field = random_() % 9 == 0 ? random_() - 5 : random_() % (ranks_ + 1);
    }
    return true;
  }
  static constexpr unsigned kNodes = 12;

 private:
  std::mt19937 random_;
  unsigned ranks_;
  int left_ = 400;
  uint64_t time_ = 0;
  std::vector<uint32_t> open_;
};

replay::World AnyWorld(int ranks, unsigned seed) {
  replay::World world;
  world.ranks = ranks;
  world.world_communicator = 0;
  world.communicators.resize(3);
  for (int r = 0; r < ranks; ++r) world.communicators[0].ranks.push_back(r);
  world.communicators[1].ranks = {-1};
  world.communicators[2] = {{0}, {1}};
  constexpr const char* kCalls[AnyEvents::kNodes] = {"main",        "MPI_Send",    "MPI_Recv",  "MPI_Wait",
                                                     "MPI_Barrier", "MPI_Probe",   "MPI_Init",  "MPI_Finalize",
                                                     "MPI_Bcast",   "MPI_Waitall", "MPI_Irecv", "omp_ibarrier"};
  for (int p = 0; p < ranks; ++p) {
    replay::Process process;
    process.rank = p;
    process.partial = (seed + static_cast<unsigned>(p)) % 3 == 0;
    std::vector<std::pair<uint32_t, replay::NodeFacts>> nodes;
    for (uint32_t n = 0; n < AnyEvents::kNodes; ++n) {
      const replay::Operation construct = replay::OperationOfConstruct(kCalls[n]);
      const bool is_construct = construct.role != replay::Role::kNone;
      nodes.emplace_back(n + 1, replay::NodeFacts{n, is_construct ? construct : replay::OperationOf(kCalls[n])});
    }
    process.nodes.Assign(nodes);
    process.regions.Assign({{0, replay::OperationOf("MPI_Barrier")},
                            {1, replay::OperationOf("MPI_Bcast")},
                            {2, replay::OperationOf("MPI_Reduce")},
                            {3, replay::OperationOf("MPI_Ineighbor_alltoall")}});
    process.communicators.Assign({{0, {0}}, {1, {1}}, {2, {2}}});
    for (uint32_t thread = 0; thread < 2; ++thread) {
      process.locations.push_back(static_cast<uint32_t>(world.locations.size()));
      world.locations.push_back({static_cast<uint32_t>(p), thread, process.locations.back()});
    }
    world.processes.push_back(std::move(process));
  }
  world.Index();
  return world;
}

TEST(Random, WhateverComesItEnds) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    const replay::World world = AnyWorld(2 + static_cast<int>(seed % 4), seed);
    std::vector<std::unique_ptr<replay::EventSource>> sources;
    for (uint32_t l = 0; l < world.locations.size(); ++l) {
      sources.push_back(std::make_unique<AnyEvents>(seed * 100 + l, world.ranks));
    }
    Severities severities;
    const auto patterns = MakePatterns(&severities);
    std::vector<replay::Observer*> observers;
    for (const auto& pattern : patterns) observers.push_back(pattern.get());
    replay::MeasuredTime time(&world);
    replay::Replay replay(&world, std::move(sources), &time, observers);
    replay.Run();
    EXPECT_EQ(replay.totals().events, world.locations.size() * 400);
  }
}

}  // namespace
}  // namespace epik::patterns
