// SPDX-License-Identifier: BSD-3-Clause
// A job of any size gives the same profile, in whatever way its arenas are distributed: all in one process (as in `epk
// recover`), or one in each process with messages between them (as in MPI_Finalize).
#include "archive/unify/unify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "archive/image/test_arena.h"
#include "archive/profile/absence.h"
#include "archive/profile/absent_locations.h"
#include "archive/unify/build_profile.h"
#include "archive/unify/test_profile.h"
#include "runtime/abi/test_group.h"

namespace epik::archive {
namespace {

using event::Key;
using event::RegionKey;

ProcessImage ImageOf(const std::string& bytes) {
  ProcessImage image;
  std::string error;
  EXPECT_TRUE(ReadProcessImage(bytes.data(), bytes.size(), &image, &error)) << error;
  return image;
}

// A rank whose modules have other addresses, and whose regions have other numbers and another order than those of other
// ranks. Every third rank has an additional branch.
ProcessImage Rank(int rank) {
  TestArena arena;
  std::mt19937 random(static_cast<unsigned>(rank));
  const uint64_t shift = (random() % 1000) * 0x100000;
  arena.header().rank = rank;
  arena.header().ranks = 16;
  arena.header().ending = event::Ending::kMpiFinalize;
  if (random() % 2 == 0) arena.DefineModule("/lib/other.so", 0x7000'0000 + shift, 0x7001'0000 + shift);
  arena.DefineModule("/bin/solver", 0x40'0000 + shift, 0x50'0000 + shift);
  // A rank without the counter does not know its kind.
  const bool has_counter = rank % 3 == 1;
  arena.DefineCounter(has_counter ? 0 : ~0u, has_counter ? event::CounterKind::kPeak : event::CounterKind::kMissing,
                      0.5, "depth", has_counter ? "of water" : "dry");
  const uint32_t send = 16 + random() % 4;
  arena.DefineRegion(send, "exchange");
  for (uint32_t thread = 0; thread < 1 + random() % 3; ++thread) {
    const uint32_t at = arena.AddLocation(thread);
    const uint32_t root = arena.AddNode(at, 0, RegionKey(event::kProgramRegion), 1, 1'000'000);
    std::vector<uint64_t> functions = {0x1000, 0x2000, 0x3000, 0x4000};
    if (rank != 0) std::shuffle(functions.begin(), functions.end(), random);
    for (const uint64_t function : functions) {
      const uint32_t node = arena.AddNode(at, root, 0x40'0000 + shift + function, 1 + random() % 9, 1000);
      const uint32_t below = arena.AddNode(at, node, RegionKey(send), 2, 100);
      arena.node(arena.AddNode(at, below, RegionKey(event::kBytesSentMetric), 2)).squares =
          std::bit_cast<double>(uint64_t{1024});
    }
    if (has_counter) {
      const Key group = RegionKey(event::CounterGroup(0));
      const event::CounterNode counters = {group, {static_cast<uint64_t>(rank) * 2}, root, {}};
      std::memcpy(&arena.node(arena.AddNode(at, root, group)), &counters, sizeof counters);
    }
    if (rank % 3 == 2) arena.AddNode(at, root, 0x40'0000 + shift + 0x5000, 1, 10);
    const uint32_t peers = arena.AddNode(at, root, RegionKey(event::kPeersRegion));
    arena.node(arena.AddNode(at, peers, RegionKey(event::PeerMetric(7)), 8)).squares =
        std::bit_cast<double>(uint64_t{4096});
  }
  return ImageOf(arena.bytes());
}

// All content of a profile in a form that can be compared: call path, metric, location -> bits.
using Flat = std::map<std::string, uint64_t>;

Flat Flatten(const Profile& profile) {
  Flat flat;
  for (uint32_t m = 0; m < profile.metrics.size(); ++m) {
    for (uint32_t p = 0; p < profile.call_paths.size(); ++p) {
      const uint64_t* row = profile.values[m].Row(p);
      for (uint32_t l = 0; row != nullptr && l < profile.locations.size(); ++l) {
        const auto& location = profile.locations[l];
        flat[profile.PathName(p) + "|" + profile.metrics[m].unique_name + "|" +
             std::to_string(profile.processes[location.process].rank) + ":" + std::to_string(location.thread)] = row[l];
      }
    }
  }
  return flat;
}

class CollectingSink : public RowSink {
 public:
  explicit CollectingSink(Profile* profile) : profile_(profile) {}
  bool BeginMetric(uint32_t metric, const std::vector<bool>&) override {
    metric_ = metric;
    return true;
  }
  bool Row(uint32_t path, const uint64_t* cells) override {
    std::copy_n(cells, profile_->locations.size(), profile_->values[metric_].MutableRow(path));
    return true;
  }
  bool EndMetric() override { return true; }

 private:
  Profile* profile_;
  uint32_t metric_ = 0;
};

// As in a job, each process has its own arena, and rank 0 gets the result. Returns false when the job reported a
// failure.
bool SummarizeApart(TestJob* job, Profile* profile, Manifest* manifest, std::vector<ProcessFacts>* facts) {
  std::atomic<int> failures{0};
  CollectingSink sink(profile);
  job->Run([&](Group* group) {
    std::vector<ProcessPart> parts;
    parts.push_back(MakePart(Rank(group->rank())));
    const bool good = SummarizeJob(group, parts, {}, [&](const JobSummary& summary) {
      *profile = summary.profile;
      *manifest = summary.manifest;
      *facts = summary.processes;
      for (const Metric& metric : profile->metrics) {
        profile->values.emplace_back(metric.type, profile->call_paths.size(), profile->locations.size());
      }
      return &sink;
    });
    if (!good) ++failures;
  });
  return failures == 0;
}

class UnifyTest : public ::testing::TestWithParam<int> {};

TEST_P(UnifyTest, WhoeverHasTheArenasTheProfileIsTheSame) {
  std::vector<ProcessImage> images;
  for (int rank = 0; rank < GetParam(); ++rank) images.push_back(Rank(rank));
  Profile together, apart;
  Manifest manifest_together, manifest_apart;
  BuildProfile(images, {}, &together, &manifest_together);
  TestJob job(GetParam());
  std::vector<ProcessFacts> facts;
  ASSERT_TRUE(SummarizeApart(&job, &apart, &manifest_apart, &facts));
  EXPECT_EQ(apart.call_paths, together.call_paths);
  EXPECT_EQ(apart.regions, together.regions);
  EXPECT_EQ(apart.locations, together.locations);
  EXPECT_EQ(apart.metrics, together.metrics);
  EXPECT_EQ(Flatten(apart), Flatten(together));
  EXPECT_EQ(manifest_apart.ToJson(), manifest_together.ToJson());
}

TEST_P(UnifyTest, RanksThatDoTheSameAgreeOnCallPathsWhereverTheirCodeWas) {
  Profile profile;
  Manifest manifest;
  TestJob job(GetParam());
  std::vector<ProcessFacts> facts;
  ASSERT_TRUE(SummarizeApart(&job, &profile, &manifest, &facts));
  // program, four functions, the sends that they call, and one more function on every third rank.
  EXPECT_EQ(profile.call_paths.size(), GetParam() >= 3 ? 10u : 9u);
  const uint32_t visits = profile.FindMetric("visits"), bytes = profile.FindMetric("bytes_sent_p2p");
  ASSERT_NE(bytes, kNone);
  for (uint32_t l = 0; l < profile.locations.size(); ++l) {
    EXPECT_EQ(profile.values[visits].Integer(0, l), 1u);
    const std::vector<double> sent = profile.Inclusive(bytes, l);
    EXPECT_EQ(sent[0], 4 * 1024);
  }
  ASSERT_EQ(facts.size(), static_cast<size_t>(GetParam()));
  for (int rank = 0; rank < GetParam(); ++rank) {
    EXPECT_EQ(facts[static_cast<size_t>(rank)].numbers.rank, rank);
    ASSERT_EQ(facts[static_cast<size_t>(rank)].peers.size(), 1u);
    EXPECT_EQ(facts[static_cast<size_t>(rank)].peers[0].bytes, 4096 * facts[static_cast<size_t>(rank)].threads.size());
  }
}

TEST_P(UnifyTest, WhatSomeRanksHaveIsMissingOnTheOthers) {
  Profile profile;
  Manifest manifest;
  TestJob job(GetParam());
  std::vector<ProcessFacts> facts;
  ASSERT_TRUE(SummarizeApart(&job, &profile, &manifest, &facts));
  const uint32_t depth = profile.FindMetric("depth");
  ASSERT_NE(depth, kNone);
  EXPECT_EQ(profile.IsMissing(depth), GetParam() == 1);
  const std::vector<bool> absent = AbsentLocations(profile, depth);
  ASSERT_EQ(absent.size(), profile.locations.size());
  for (uint32_t l = 0; l < absent.size(); ++l) {
    const int rank = profile.processes[profile.locations[l].process].rank;
    EXPECT_EQ(absent[l], rank % 3 != 1) << rank;
    if (!absent[l]) {
      EXPECT_EQ(profile.values[depth].Real(0, l), rank);
    }
  }
  if (GetParam() == 5) {
    EXPECT_EQ(profile.metrics[depth].description, "n/a on ranks 0,2-3: dry; of water");
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, UnifyTest, ::testing::Values(1, 2, 3, 5, 8, 13, 16));

// When messages stop arriving, each process of the job reports a failure, and none waits forever.
TEST(UnifyFailure, NobodyWaitsForMessagesThatNeverCome) {
  int all = 0;
  {
    TestJob job(5);
    Profile profile;
    Manifest manifest;
    std::vector<ProcessFacts> facts;
    ASSERT_TRUE(SummarizeApart(&job, &profile, &manifest, &facts));
    all = job.messages();
  }
  ASSERT_GT(all, 0);
  for (int messages = 0; messages < all; ++messages) {
    TestJob job(5);
    job.FailAfter(messages);
    Profile profile;
    Manifest manifest;
    std::vector<ProcessFacts> facts;
    EXPECT_FALSE(SummarizeApart(&job, &profile, &manifest, &facts)) << messages;
  }
}

TEST(Definitions, DamagedBytesAreRefusedOrGood) {
  ProcessPart part = MakePart(Rank(2));
  BytesOut out;
  Pack(part.definitions, &out);
  const std::string whole = out.Take();
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes = whole.substr(0, random() % 3 == 0 ? random() % whole.size() : whole.size());
    for (uint64_t n = random() % 3; n > 0 && !bytes.empty(); --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    Definitions definitions;
    BytesIn in(bytes);
    if (!Unpack(&in, &definitions)) continue;
    Definitions all;
    const Mapping mapping = DefinitionSet(&all).Merge(definitions);
    for (const uint32_t path : mapping.paths) EXPECT_LT(path, all.paths.size());
  }
}

}  // namespace
}  // namespace epik::archive
