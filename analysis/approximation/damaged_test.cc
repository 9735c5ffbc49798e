// SPDX-License-Identifier: BSD-3-Clause
// Traces with holes: records that are missing, threads that end early, processes that are not there. Every computation
// on them ends, in order and without a negative time.
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "analysis/approximation/forward.h"
#include "analysis/approximation/liberal.h"
#include "analysis/approximation/measurement.h"
#include "analysis/graph/test_graph.h"
#include "analysis/replay/test_script.h"

namespace epik::approximation {
namespace {

using replay::Script;

constexpr int kRanks = 3;
constexpr char kRun[] =
    R"(0: 0 > m | 10 > MPI_Isend | 11 send_begin 1 5 w 64 9 | 12 < | 20 > MPI_Barrier | 21 collective_begin MPI_Barrier 0 | 60 collective_end MPI_Barrier w -1 0 0 0 | 61 < | 70 > MPI_Wait | 71 send_end 9 | 72 < | 80 > MPI_Ssend | 81 send 2 5 w 64 | 120 < | 130 > omp | 130 fork x 1 | 130 team_begin 0 1 0 | 140 > loop | 180 < | 181 task_create 1 | 182 > omp_critical | 190 lock_acquire 7 1 | 195 lock_release 7 1 | 196 < | 197 iteration_done 8 0 | 200 team_end 1 | 200 > omp_ibarrier | 200 barrier | 260 < | 260 join 1 | 260 < | 300 > MPI_Reduce | 301 collective_begin MPI_Reduce 0 | 330 collective_end MPI_Reduce w 0 8 8 0 | 331 < | 400 <
       0.1: 130 > omp | 130 team_begin 0 1 1 | 140 > omp_ibarrier | 140 barrier | 185 > task | 185 task_begin 1 | 190 > omp_critical | 197 lock_acquire 7 2 | 205 lock_release 7 2 | 206 < | 210 > omp_ordered | 211 iteration_needed 8 0 | 212 < | 240 < | 260 < | 260 <
       1: 0 > m | 5 > MPI_Recv | 30 receive 0 5 w 64 | 31 < | 40 > MPI_Barrier | 41 collective_begin MPI_Barrier 0 | 58 collective_end MPI_Barrier w -1 0 0 0 | 59 < | 90 > MPI_Reduce | 91 collective_begin MPI_Reduce 0 | 95 collective_end MPI_Reduce w 0 8 8 0 | 96 < | 390 <
       2: 0 > m | 50 > MPI_Barrier | 51 collective_begin MPI_Barrier 0 | 57 collective_end MPI_Barrier w -1 0 0 0 | 58 < | 100 > MPI_Recv | 119 receive 0 5 w 64 | 121 < | 150 > MPI_Reduce | 151 collective_begin MPI_Reduce 0 | 155 collective_end MPI_Reduce w 0 8 8 0 | 156 < | 395 <)";

// Leaves out records here and there, the ends of threads, and whole threads.
std::string Damaged(uint32_t seed) {
  std::mt19937 random(seed);
  std::istringstream lines(kRun);
  std::string damaged;
  for (std::string line; std::getline(lines, line);) {
    if (random() % 10 == 0) continue;
    const size_t colon = line.find(':');
    std::string kept = line.substr(0, colon + 1);
    const bool ends_early = random() % 3 == 0;
    std::istringstream parts(line.substr(colon + 1));
    for (std::string part; std::getline(parts, part, '|');) {
      const bool is_call = part.find('<') != std::string::npos || part.find('>') != std::string::npos;
      if (!is_call && random() % 8 == 0) continue;
      if (ends_early && random() % 16 == 0) break;
      kept += (kept.back() == ':' ? " " : " | ") + part;
    }
    damaged += kept + "\n";
  }
  return damaged;
}

void ExpectInOrder(const graph::Graph& graph, const Times& times) {
  for (uint32_t l = 0; l < graph.locations(); ++l) {
    double now = -1e300;
    for (uint32_t p = 0; p < graph.size(l); ++p) {
      const Moment& moment = times.points[l][p];
      ASSERT_GE(moment.begin, now) << l << "." << p;
      ASSERT_GE(moment.end, moment.begin) << l << "." << p;
      now = moment.end;
      if (times.forced > 0) continue;
      graph.ForEachEdge(graph.At({l, p}), [&](const graph::Edge& edge) {
        using graph::EdgeKind;
        const bool counts =
            edge.kind != EdgeKind::kTeam && edge.kind != EdgeKind::kCreated && edge.kind != EdgeKind::kTask;
        if (!edge.partner.IsKnown() || !counts) return;
        EXPECT_GE(moment.end, times.At(edge.partner).begin) << l << "." << p;
      });
    }
  }
}

TEST(Damaged, WhatIsLeftIsComputedInOrder) {
  constexpr uint32_t kTraces = 3000;
  for (uint32_t seed = 0; seed < kTraces; ++seed) {
    Script script(kRanks);
    script.Add(Damaged(seed));
    if (script.world().locations.empty()) continue;
    const graph::Made made = graph::Make(&script);
    std::vector<Shared> shared;
    for (uint32_t path = 0; script.PathName(path) != "?"; ++path) {
      const std::string name = script.PathName(path);
      shared.push_back(name.ends_with("task") ? Shared::kTask : name.ends_with("loop") ? Shared::kLoop : Shared::kNo);
    }
    std::vector<uint32_t> leaders;
    for (const replay::Location& location : script.world().locations) {
      leaders.push_back(script.world().processes[location.process].locations.front());
    }
    for (const Bound bound : {Bound::kLower, Bound::kUpper}) {
      for (const Model model : {Model::kTime, Model::kEvent, Model::kLiberal}) {
        const Prices prices = Prices::Same(6, shared.size(), 0.1);
        const WithoutMeasurement change(&prices, bound, archive::Profile(), nullptr);
        const Rescheduled rescheduled(*made.graph, change, shared, bound);
        Rules rules;
        rules.bound = bound;
        rules.model = model;
        if (model == Model::kLiberal) rules.rescheduled = &rescheduled;
        const Times times = Forward(*made.graph, leaders, Transfers(*made.graph), change, rules);
        if (model == Model::kTime) continue;  // processes do not wait for each other there
        ExpectInOrder(*made.graph, times);
        if (::testing::Test::HasFailure()) FAIL() << "seed " << seed << "\n" << Damaged(seed);
      }
    }
  }
}

}  // namespace
}  // namespace epik::approximation
