// SPDX-License-Identifier: BSD-3-Clause
// Causes are told with the callers that a reader needs to find them.
#include "analysis/findings/words.h"

#include <gtest/gtest.h>

#include <string>

namespace epik::findings {
namespace {

using archive::kNone;

constexpr int64_t kSecond = 1'000'000'000;

// Returns the sentence about rank 1, which waits in MPI_Recv (call path 1, below main) because rank 0 took a second
// longer in `cause`. `waited`: rank 0 waited there, for something that the trace does not have.
// `without_sender`: so long rank 0 received messages whose sender the trace lacks. `more`: it took that much longer.
std::string Told(const std::vector<std::string>& regions, const std::vector<archive::CallPath>& paths, uint32_t cause,
                 bool waited = false, int64_t without_sender = 0, causes::Class kind = causes::kLateSender,
                 const graph::Mixtures& mixtures = {}, int64_t more = kSecond) {
  archive::Profile profile;
  for (const std::string& name : regions) {
    profile.regions.emplace_back().name = name;
    if (name.starts_with("MPI_")) profile.regions.back().paradigm = "mpi";
  }
  profile.call_paths = paths;
  profile.locations.resize(2);
  replay::World world;
  world.processes.resize(2);
  for (uint32_t rank = 0; rank < 2; ++rank) {
    world.processes[rank].rank = static_cast<int32_t>(rank);
    world.processes[rank].locations = {rank};
    world.locations.push_back({.process = rank, .number = 0, .column = rank});
  }
  causes::Delays delays;
  const causes::Group waits = {.location = 1, .path = 1, .kind = kind};
  delays.waited_ns = kSecond;
  delays.groups[waits] = {.ns = kSecond, .instances = 1};
  const causes::Cause longer = {.location = 0, .path = cause, .waited = waited, .kind = causes::kLateSender};
  delays.flows.push_back({.waits = waits, .causes = {{longer, {kSecond, more}}}, .further = {}});
  causes::Cause unknown = longer;
  unknown.waited = false;
  if (without_sender > 0) delays.without_sender[{0, cause}] = without_sender;
  if (waited) delays.flows[0].further[{0, cause, causes::kLateSender}][unknown] = {kSecond, kSecond};
  Findings findings;
  TellCauses(delays, world, profile, Counted({}, profile), mixtures, nullptr, &findings);
  return findings.chains.empty() ? "" : findings.chains[0].text;
}

TEST(Words, ACauseHasTheCallersThatTellItFromOthers) {
  const std::string start = "rank 1 waits in MPI_Recv for rank 0, which spent 1.00 s more in ";
  const std::vector<std::string> regions = {"main", "MPI_Recv", "assemble", "solve", "spin", "now"};
  EXPECT_EQ(Told(regions, {{0, kNone}, {1, 0}, {2, 0}, {4, 2}}, 3), start + "spin") << "there is one spin";
  // assemble > spin > now, solve > spin > now, and main > now.
  const std::vector<archive::CallPath> paths = {{0, kNone}, {1, 0}, {2, 0}, {4, 2}, {5, 3},
                                                {3, 0},     {4, 5}, {5, 6}, {5, 0}};
  EXPECT_EQ(Told(regions, paths, 2), start + "assemble");
  EXPECT_EQ(Told(regions, paths, 3), start + "assemble > spin");
  EXPECT_EQ(Told(regions, paths, 7), start + "solve > spin > now");
  EXPECT_EQ(Told(regions, paths, 8), start + "main > now");
}

TEST(Words, MoreThanTheWaitIsSinceBothWereTogether) {
  const auto told = [](int64_t more) {
    return Told({"main", "MPI_Recv", "work"}, {{0, kNone}, {1, 0}, {2, 0}}, 2, false, 0, causes::kLateSender, {}, more);
  };
  EXPECT_EQ(told(2 * kSecond), "rank 1 waits in MPI_Recv for rank 0, which spent 2.00 s more in work");
  EXPECT_EQ(told(3 * kSecond),
            "rank 1 waits in MPI_Recv for rank 0, which spent 3.00 s more in work since both were last together "
            "(1.00 s of that made it wait)");
}

TEST(Words, NobodyWaitsForItself) {
  EXPECT_EQ(Told({"main", "MPI_Recv", "MPI_Probe"}, {{0, kNone}, {1, 0}, {2, 0}}, 2, true),
            "rank 1 waits in MPI_Recv for rank 0, which waited for something that is not in the trace");
}

TEST(Words, AReceiveFromOutsideOfTheTraceIsNoReason) {
  const std::vector<std::string> regions = {"main", "MPI_Recv", "MPI_Recv"};
  const auto told = [&](int64_t ns) { return Told(regions, {{0, kNone}, {1, 0}, {2, 0}}, 2, false, ns); };
  const std::string start = "rank 1 waits in MPI_Recv for rank 0, which spent 1.00 s more in MPI_Recv";
  EXPECT_EQ(told(600'000'000), start + ", for messages whose sender is not in the trace");
  EXPECT_EQ(told(400'000'000), start) << "of others, the trace has it";
}

TEST(Words, WhoComesToMpiLateMayHaveBeenThere) {
  const std::vector<std::string> regions = {"main", "MPI_Wait", "work", "MPI_Barrier"};
  const std::vector<archive::CallPath> paths = {{0, kNone}, {1, 0}, {2, 0}, {3, 0}};
  const std::string start = "rank 1 waits in MPI_Wait for rank 0 to come to MPI";
  EXPECT_EQ(Told(regions, paths, 2, false, 0, causes::kLateProgress), start + ", which spent 1.00 s more in work");
  EXPECT_EQ(Told(regions, paths, 3, false, 0, causes::kLateProgress),
            start + " again, which spent 1.00 s more in MPI_Barrier before");
}

// A trace of communication shows main, and has no call of the function that took half of its time.
TEST(Words, TheRestOfACallerIsAnEstimate) {
  graph::Mixtures mixtures;
  mixtures.Set(0, 0, {{2, 0.5}});
  const std::vector<std::string> regions = {"main", "MPI_Recv", "work"};
  const std::vector<archive::CallPath> paths = {{0, kNone}, {1, 0}, {2, 0}};
  EXPECT_EQ(Told(regions, paths, 0, false, 0, causes::kLateSender, mixtures),
            "rank 1 waits in MPI_Recv for rank 0, which spent about 1.00 s more in main");
  EXPECT_EQ(Told(regions, paths, 0), "rank 1 waits in MPI_Recv for rank 0, which spent 1.00 s more in main");
}

// Each of twelve ranks waits for the next one, and the last one works.
TEST(Words, ALongChainIsToldWithItsEnd) {
  constexpr uint32_t kRanks = 12;
  constexpr int64_t kSecond = 1'000'000'000;
  archive::Profile profile;
  for (const char* name : {"main", "MPI_Recv", "work"}) profile.regions.emplace_back().name = name;
  profile.call_paths = {{0, kNone}, {1, 0}, {2, 0}};
  profile.locations.resize(kRanks);
  replay::World world;
  world.processes.resize(kRanks);
  for (uint32_t rank = 0; rank < kRanks; ++rank) {
    world.processes[rank].rank = static_cast<int32_t>(rank);
    world.processes[rank].locations = {rank};
    world.locations.push_back({.process = rank, .number = 0, .column = rank});
  }
  causes::Delays delays;
  causes::Flow flow = {.waits = {.location = 0, .path = 1, .kind = causes::kLateSender}, .causes = {}, .further = {}};
  delays.groups[flow.waits] = {.ns = kSecond, .instances = 1};
  for (uint32_t rank = 1; rank < kRanks; ++rank) {
    const bool waited = rank + 1 < kRanks;
    const causes::Cause cause = {.location = rank, .path = waited ? 1u : 2u, .waited = waited, .kind = flow.waits.kind};
    auto& its = rank == 1 ? flow.causes : flow.further[{rank - 1, 1, flow.waits.kind}];
    its[cause] = {kSecond, kSecond};
  }
  delays.flows.push_back(flow);
  Findings findings;
  TellCauses(delays, world, profile, Counted({}, profile), {}, nullptr, &findings);
  EXPECT_EQ(findings.chains.at(0).text,
            "rank 0 waits in MPI_Recv for rank 1, which waited for rank 2, which waited for rank 3, which waited for "
            "rank 4, …, which waited for rank 8, which waited for rank 9, which waited for rank 10, which waited for "
            "rank 11, which spent 1.00 s more in work");
}

TEST(Words, ManyCallersInBetweenAreLeftOut) {
  // assemble > spin > now > spin, and the same below solve.
  EXPECT_EQ(Told({"main", "MPI_Recv", "assemble", "solve", "spin", "now"},
                 {{0, kNone}, {1, 0}, {2, 0}, {4, 2}, {5, 3}, {4, 4}, {3, 0}, {4, 6}, {5, 7}, {4, 8}}, 9),
            "rank 1 waits in MPI_Recv for rank 0, which spent 1.00 s more in solve > … > spin");
  // A path that ends like another one is told as a whole.
  EXPECT_EQ(Told({"main", "MPI_Recv", "spin"}, {{0, kNone}, {1, 0}, {2, 0}, {0, 2}, {2, 3}}, 2),
            "rank 1 waits in MPI_Recv for rank 0, which spent 1.00 s more in main > spin");
}

}  // namespace
}  // namespace epik::findings
