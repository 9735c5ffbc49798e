// SPDX-License-Identifier: BSD-3-Clause
// Clocks that are wrong are repaired: order is restored, no location goes back, and right times stay.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/clocks/repair.h"
#include "analysis/replay/replay.h"
#include "analysis/replay/test_program.h"

namespace epik::clocks {
namespace {

using replay::Script;
using replay::World;

// A program whose ranks have clocks of their own: it has times of 1000, and `skewed` changes them.
class Skewed {
 public:
  template <typename Skew>
  Skewed(const replay::Program& program, Script* script, const Skew& skew) : script_(script) {
    skew_ = skew;
    program.Write(-1, this);
  }
  void Add(const std::string& line) {
    const size_t colon = line.find(':');
    const int rank = std::stoi(line.substr(0, colon));
    std::istringstream parts(line.substr(colon + 1));
    std::string text = line.substr(0, colon + 1);
    for (std::string part; std::getline(parts, part, '|');) {
      std::istringstream words(part);
      int64_t time = 0;
      std::string rest;
      if (!(words >> time) || !std::getline(words, rest)) continue;
      text += " " + std::to_string(skew_(rank, time * 1000)) + rest + " |";
    }
    script_->Add(text);
  }

 private:
  Script* script_;
  std::function<int64_t(int, int64_t)> skew_;
};

struct Result {
  uint64_t before, after;
  Corrections corrections;
};

Result RepairOf(Script* script) {
  const World& world = script->world();
  replay::MeasuredTime measured(&world);
  Violations before(&world), after(&world);
  Repair repair(&world);
  replay::Replay first(&world, script->Sources(), &measured, {&before, &repair});
  first.Run();
  Result result{before.Total(), 0, repair.Find()};
  RepairedTime repaired(&world, &result.corrections);
  replay::Replay second(&world, script->Sources(), &repaired, {&after});
  second.Run();
  result.after = after.Total();
  EXPECT_EQ(first.totals().messages, second.totals().messages);
  EXPECT_EQ(first.totals().collectives, second.totals().collectives);
  EXPECT_EQ(second.totals().violations, after.Of(Kind::kMessage) + after.Of(Kind::kCollective));
  return result;
}

void ExpectOrder(const Corrections& corrections) {
  for (uint32_t l = 0; l < corrections.knots().size(); ++l) {
    const std::vector<Knot>& knots = corrections.knots()[l];
    for (size_t k = 0; k < knots.size(); ++k) {
      EXPECT_GE(knots[k].corrected, knots[k].measured);
      if (k > 0) {
        ASSERT_GT(knots[k].measured, knots[k - 1].measured);
        EXPECT_GE(knots[k].corrected, knots[k - 1].corrected);
      }
    }
    if (knots.empty()) continue;
    const int64_t from = knots.front().measured - 100, to = knots.back().measured + 100'000;
    const int64_t step = std::max<int64_t>(1, (to - from) / 10'000);
    for (int64_t ns = from; ns < to; ns += step) ASSERT_LE(corrections.At(l, ns), corrections.At(l, ns + 1));
  }
}

TEST(Repair, LeavesWhatIsRight) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const replay::Program program(2 + static_cast<int>(seed % 6), 100, seed);
    Script script(program.ranks());
    const Skewed skewed(program, &script, [](int, int64_t ns) { return ns; });
    const Result result = RepairOf(&script);
    EXPECT_EQ(result.before, 0u);
    EXPECT_EQ(result.corrections.largest(), 0);
    for (const auto& knots : result.corrections.knots()) EXPECT_TRUE(knots.empty());
  }
}

TEST(Repair, RestoresTheOrder) {
  uint64_t violations = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    std::vector<int64_t> offset, drift, jump;
    for (int r = 0; r < 8; ++r) {
      offset.push_back(1 + static_cast<int64_t>(random() % 60'000));
      drift.push_back(seed % 3 == 0 ? 0 : static_cast<int64_t>(random() % 300));
      jump.push_back(seed % 4 == 0 ? static_cast<int64_t>(random() % 2'000'000) : INT64_MAX);
    }
    const replay::Program program(2 + static_cast<int>(seed % 6), 100, seed);
    Script script(program.ranks());
    const Skewed skewed(program, &script, [&](int rank, int64_t ns) {
      const auto r = static_cast<size_t>(rank);
      return ns + offset[r] + ns * drift[r] / 10'000 + (ns > jump[r] ? 30'000 : 0);
    });
    const Result result = RepairOf(&script);
    violations += result.before;
    EXPECT_EQ(result.after, 0u) << "seed " << seed << ", before: " << result.before;
    EXPECT_EQ(result.corrections.largest() > 0, result.before > 0);
    ExpectOrder(result.corrections);
  }
  EXPECT_GT(violations, 1000u);
}

// The clock of 1 is behind: its wait seems to end before the accesses of 0 and 2.
TEST(Repair, MovesTheEndOfAnExposureBehindThatOfAllAccesses) {
  Script script(3);
  script.Add(
      R"(0: 0 > m | 1000 > MPI_Win_start | 1005 window_sync MPI_Win_start 0 1 | 1010 < | 1400 > MPI_Win_complete | 1405 window_sync MPI_Win_complete 0 -1 | 1410 < | 90000 <
         1: 0 > m | 500 > MPI_Win_post | 505 window_sync MPI_Win_post 0 0 | 505 window_sync MPI_Win_post 0 2 | 510 < | 520 > MPI_Win_wait | 1105 window_sync MPI_Win_wait 0 -1 | 1110 < | 90000 <
         2: 0 > m | 1000 > MPI_Win_start | 1005 window_sync MPI_Win_start 0 1 | 1010 < | 1600 > MPI_Win_complete | 1605 window_sync MPI_Win_complete 0 -1 | 1610 < | 90000 <)");
  const Result result = RepairOf(&script);
  EXPECT_EQ(result.before, 1u);
  EXPECT_EQ(result.after, 0u);
  EXPECT_EQ(result.corrections.largest(), 495);
  EXPECT_EQ(result.corrections.At(1, 1105), 1600);
  EXPECT_EQ(result.corrections.At(2, 1600), 1600);
  EXPECT_EQ(result.corrections.At(1, 90000), 90000);
}

// The clock of 2 is behind, which a message from 1 shows. So 2 comes last to an operation from which 0 gets data of 1
// and 2, or of all. By the measured times, 1 came last.
TEST(Repair, KnowsAllThatAMemberNeeds) {
  for (const std::string peers : {" | 1700 collective_peers 1 1 2 0", ""}) {
    Script script(4);
    script.Add("0: 0 > m | 500 > MPI_Alltoallv | 505 collective_begin MPI_Alltoallv 0" + peers +
               R"( | 1700 collective_end MPI_Alltoallv w -1 8 8 0 | 1710 < | 90000 <
           1: 0 > m | 1400 > MPI_Send | 1405 send 2 5 w 8 | 1410 < | 1500 > MPI_Alltoallv | 1505 collective_begin MPI_Alltoallv 0 | 1600 collective_end MPI_Alltoallv w -1 8 0 0 | 1610 < | 90000 <
           2: 0 > m | 500 > MPI_Recv | 1000 receive 1 5 w 8 | 1010 < | 1400 > MPI_Alltoallv | 1405 collective_begin MPI_Alltoallv 0 | 1500 collective_end MPI_Alltoallv w -1 8 0 0 | 1510 < | 90000 <
           3: 0 > m | 500 > MPI_Alltoallv | 505 collective_begin MPI_Alltoallv 0 | 1710 collective_peers 0 1 1 0 | 1710 collective_end MPI_Alltoallv w -1 8 8 0 | 1720 < | 90000 <)");
    const Result result = RepairOf(&script);
    EXPECT_EQ(result.before, 1u);
    EXPECT_EQ(result.after, 0u);
    EXPECT_GE(result.corrections.At(0, 1700), result.corrections.At(2, 1405));
  }
}

// 0 is killed in MPI_Init, at an unknown time: its last event is no end of the call.
TEST(Repair, KnowsNoEndOfACallThatIsCutShort) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1 > MPI_Init
                1: 0 > m | 100000 > MPI_Init)");
  const Result result = RepairOf(&script);
  EXPECT_EQ(result.before, 0u);
  EXPECT_EQ(result.corrections.largest(), 0);
}

TEST(Repair, MovesTheReceiveBehindItsSend) {
  Script script(2);
  script.Add(R"(0: 0 > m | 1000 > MPI_Bsend | 1010 send 1 5 w 8 | 1020 < | 90000 <
                1: 0 > m | 500 > MPI_Recv | 610 receive 0 5 w 8 | 620 < | 90000 <)");
  const Result result = RepairOf(&script);
  EXPECT_EQ(result.before, 1u);
  EXPECT_EQ(result.after, 0u);
  const Corrections& corrections = result.corrections;
  EXPECT_EQ(corrections.largest(), 400);
  EXPECT_EQ(corrections.At(0, 1010), 1010);
  EXPECT_EQ(corrections.At(1, 610), 1010);
  EXPECT_EQ(corrections.At(1, 620), 1020);
  EXPECT_EQ(corrections.At(1, 610 + 6400), 610 + 6400 + 300);  // a 64th of the time is taken back
  EXPECT_EQ(corrections.At(1, 90000), 90000);
  EXPECT_EQ(corrections.At(1, 610 - 2000), 610 - 2000 + 200);  // half of ten times the jump
  EXPECT_EQ(corrections.At(1, -3390), -3390);
}

// Times before a jump are stretched, but never beyond the times at which others received messages that were sent there.
TEST(Repair, KeepsWhatOthersHadBefore) {
  Script script(3);
  script.Add(R"(0: 0 > m | 9000 > MPI_Bsend | 9010 send 1 5 w 8 | 9020 < | 90000 <
                1: 0 > m | 8000 > MPI_Bsend | 8005 send 2 5 w 8 | 8006 < | 8010 > MPI_Recv | 8510 receive 0 5 w 8 | 8520 < | 90000 <
                2: 0 > m | 8000 > MPI_Recv | 8015 receive 1 5 w 8 | 8020 < | 90000 <)");
  const Result result = RepairOf(&script);
  EXPECT_EQ(result.before, 1u);
  EXPECT_EQ(result.after, 0u);
  EXPECT_EQ(result.corrections.At(1, 8510), 9010);
  EXPECT_LE(result.corrections.At(1, 8005), 8015);
  EXPECT_GT(result.corrections.At(1, 8005), 8005);
  EXPECT_EQ(result.corrections.At(2, 8015), 8015);
}

TEST(Repair, LearnsHowLongMessagesTake) {
  Script script(2);
  script.Add(
      R"(0: 0 > m | 100 > MPI_Bsend | 100 send 1 5 w 8 | 110 < | 900 > MPI_Recv | 920 receive 1 5 w 8 | 930 < | 9000 <
                1: 0 > m | 150 > MPI_Recv | 160 receive 0 5 w 8 | 170 < | 900 > MPI_Bsend | 940 send 0 5 w 8 | 950 < | 9000 <)");
  World world = script.world();
  world.processes[0].host = 3;
  world.processes[1].host = 4;
  replay::MeasuredTime measured(&world);
  Repair repair(&world);
  replay::Replay(&world, script.Sources(), &measured, {&repair}).Run();
  EXPECT_EQ(repair.Latency(3, 4), 20);  // 60 in one direction, -20 in the other
  EXPECT_EQ(repair.Latency(4, 3), 20);
  EXPECT_EQ(repair.Latency(3, 3), 0);
  const Corrections corrections = repair.Find();
  EXPECT_EQ(corrections.At(0, 920), 960);
}

// The leader makes thousands of teams within its part of the outer one, before it is seen that a worker's part of that
// one began before its fork.
TEST(Violations, KnowForksUntilTheyAreJoined) {
  std::string inner;
  for (int team = 2; team < 6000; ++team) {
    const std::string number = std::to_string(team);
    inner += " | 10 fork x " + number + " | 10 join " + number;
  }
  Script script(1);
  script.Add("0: 0 > m | 6 fork x 1" + inner + " | 12 team_begin 0 1 0 | 96 join 1 | 99 <\n" +
             "0.1: 4 > t | 5 team_begin 0 1 1 | 92 < ");
  const World& world = script.world();
  replay::MeasuredTime measured(&world);
  Violations violations(&world);
  replay::Replay(&world, script.Sources(), &measured, {&violations}).Run();
  EXPECT_EQ(violations.Of(Kind::kTeam), 1u);
}

TEST(Corrections, GoThroughWords) {
  const Corrections corrections({{{1, 2}, {-0, 4}}, {}, {{INT64_MIN, INT64_MAX}}});
  EXPECT_EQ(Corrections(corrections.Words()).knots(), corrections.knots());
  EXPECT_TRUE(Corrections(std::vector<uint64_t>()).IsEmpty());
  EXPECT_EQ(Corrections(std::vector<uint64_t>{99, 1, 2, 3}).knots().at(0).size(), 1u);  // the words are cut off
  EXPECT_EQ(Corrections().At(5, 77), 77);
}

}  // namespace
}  // namespace epik::clocks
