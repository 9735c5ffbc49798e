// SPDX-License-Identifier: BSD-3-Clause
// Networks of several clusters, of which only the links of a tree are seen. Each advised tree is run and measured
// again.
#include "tools/monitor/advice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "config/coll_tree.h"
#include "tools/monitor/totals.h"

namespace epik::monitor {
namespace {

using Parents = std::vector<int32_t>;
using Latency = std::function<double(int32_t, int32_t)>;

std::vector<MeasuredLink> Measure(const Parents& parents, const Latency& latency) {
  std::vector<MeasuredLink> links;
  for (size_t r = 0; r < parents.size(); ++r) {
    const auto rank = static_cast<int32_t>(r);
    if (parents[r] >= 0) links.push_back({parents[r], rank, latency(parents[r], rank)});
  }
  return links;
}

Advice AdviceFor(const Parents& parents, const Latency& latency) {
  Advice advice;
  std::string why;
  EXPECT_TRUE(Advise(Measure(parents, latency), static_cast<uint32_t>(parents.size()), &advice, &why)) << why;
  return advice;
}

Parents Advised(const Parents& parents, const Latency& latency) {
  Parents better = AdviceFor(parents, latency).parents, read;
  std::string why;
  EXPECT_TRUE(config::ReadParents(config::WriteParents(better, ""), static_cast<uint32_t>(better.size()), &read, &why))
      << why;
  EXPECT_EQ(read, better);
  return better;
}

Parents Binomial(uint32_t ranks) {
  Parents parents(ranks, -1);
  for (uint32_t r = 1; r < ranks; ++r) parents[r] = static_cast<int32_t>(r & (r - 1));
  return parents;
}

Parents Flat(uint32_t ranks) {
  Parents parents(ranks, 0);
  parents[0] = -1;
  return parents;
}

uint32_t FarLinks(const Parents& parents, const Latency& latency) {
  uint32_t far = 0;
  for (const MeasuredLink& link : Measure(parents, latency)) far += link.latency > 100e-6 ? 1 : 0;
  return far;
}

TEST(Advice, AnEvenNetworkIsOneCluster) {
  const Parents better = Advised(Binomial(8), [](int32_t, int32_t) { return 2e-6; });
  EXPECT_EQ(better, Binomial(8));
}

Latency Dealt(int32_t clusters, double far, double factor) {
  return [=](int32_t a, int32_t b) {
    const int32_t one = a % clusters, other = b % clusters;
    return one == other ? 2e-6 : far * std::pow(factor, std::max(one, other));
  };
}

// From one process, all processes of a cluster are equally far, and each cluster has another distance: one run shows
// everything.
TEST(Advice, ClustersThatAreNotEquallyFarAreSeenInAFlatTree) {
  for (const int32_t clusters : {2, 3, 4}) {
    for (const uint32_t ranks : {8u, 13u, 32u}) {
      const Latency latency = Dealt(clusters, 400e-6, 4);
      Parents tree = Advised(Flat(ranks), latency);
      EXPECT_EQ(FarLinks(tree, latency), static_cast<uint32_t>(clusters - 1)) << clusters << " of " << ranks;
      tree = Advised(tree, latency);  // the assumptions are confirmed now
      EXPECT_EQ(FarLinks(tree, latency), static_cast<uint32_t>(clusters - 1)) << clusters << " of " << ranks;
      EXPECT_EQ(Advised(tree, latency), tree);
    }
  }
}

TEST(Advice, ClustersThatAreEquallyFarAreTakenApartOneARound) {
  for (const int32_t clusters : {2, 3, 4}) {
    for (const uint32_t ranks : {8u, 13u, 32u}) {
      const Latency latency = Dealt(clusters, 400e-6, 1);
      Parents tree = Flat(ranks);
      for (int32_t round = 0; round < clusters; ++round) tree = Advised(tree, latency);
      EXPECT_EQ(FarLinks(tree, latency), static_cast<uint32_t>(clusters - 1)) << clusters << " of " << ranks;
      EXPECT_EQ(Advised(tree, latency), tree);
    }
  }
}

TEST(Advice, AnyTreeIsAnsweredWithATree) {
  std::mt19937 random(2);
  for (int round = 0; round < 200; ++round) {
    Parents tree(2 + random() % 30, -1);
    for (size_t r = 1; r < tree.size(); ++r) tree[r] = static_cast<int32_t>(random() % r);
    Advised(tree, [&](int32_t, int32_t) { return static_cast<double>(random() % 1000) * 1e-6 - 50e-6; });
  }
}

TEST(Advice, ATreeWithAMuchLongerWayIsNotAdvised) {
  const auto even = [](int32_t, int32_t) { return 30e-3; };
  const Advice advice = AdviceFor(Flat(4), even);
  EXPECT_TRUE(advice.is_present);
  EXPECT_EQ(advice.parents, Flat(4));
  EXPECT_EQ(advice.gain(), Advice::Gain::kNone);
  EXPECT_FALSE(AdviceFor(Flat(8), Dealt(2, 400e-6, 1)).is_present) << "its links show more";
}

TEST(Advice, AFewCallsTellNothingOfALink) {
  LinkRow link;
  EXPECT_FALSE(KnowsLatency(link));
  link.behind.count = 100;
  link.latency.count = 9;
  EXPECT_FALSE(KnowsLatency(link));
  link.latency.count = 10;
  EXPECT_TRUE(KnowsLatency(link));
}

TEST(Advice, WithoutAllLinksThereIsNone) {
  Advice better;
  std::string why;
  EXPECT_FALSE(Advise({}, 4, &better, &why));
  EXPECT_EQ(why, "the links of 3 of 4 processes are not known");
  EXPECT_FALSE(Advise({{0, 1, 1e-6}, {0, 1, 1e-6}, {0, 9, 1e-6}, {-1, 2, 1e-6}}, 4, &better, &why));
  EXPECT_EQ(why, "the links of 2 of 4 processes are not known");
  EXPECT_FALSE(Advise({}, 0, &better, &why));
}

TEST(Advice, LinksOfSeveralTreesAreNoTree) {
  Advice better;
  std::string why;
  EXPECT_FALSE(Advise({{0, 1, 1e-6}, {1, 0, 1e-6}, {0, 2, 1e-6}}, 3, &better, &why));
  EXPECT_FALSE(Advise({{0, 1, 1e-6}, {2, 3, 1e-6}, {3, 2, 1e-6}}, 4, &better, &why));
  EXPECT_NE(why.find("several trees"), std::string::npos) << why;
}

// The longest way if each link takes what it really does.
double LongestWay(const Parents& parents, const Latency& latency) {
  double longest = 0;
  for (size_t r = 0; r < parents.size(); ++r) {
    double way = 0;
    for (auto at = static_cast<int32_t>(r); parents[static_cast<size_t>(at)] >= 0;) {
      const int32_t parent = parents[static_cast<size_t>(at)];
      way += latency(parent, at);
      at = parent;
    }
    longest = std::max(longest, way);
  }
  return longest;
}

// No tree has a shorter way than the flat one: its longest way is the farthest link.
TEST(Advice, NothingBetterIsPromisedToAFlatTree) {
  for (const uint32_t ranks : {2u, 6u, 13u}) {
    for (const int32_t clusters : {1, 2, 3}) {
      const Advice advice = AdviceFor(Flat(ranks), Dealt(clusters, 2e-3, 1));
      EXPECT_EQ(advice.gain(), Advice::Gain::kNone) << ranks << " " << Compare(advice);
    }
  }
}

TEST(Advice, ASecondRoundMayBeBetterThanAWrongFirstOne) {
  const Latency latency = Dealt(3, 2e-3, 1);
  const Parents wrong = {-1, 0, 1, 0, 1, 1};  // 2 and 5 are as far from 1 as 1 is from 0
  const Advice advice = AdviceFor(wrong, latency);
  EXPECT_NEAR(advice.now, 4e-3, 1e-9);
  EXPECT_EQ(advice.gain(), Advice::Gain::kPerhaps);
  EXPECT_EQ(Compare(advice),
            "the longest way takes 2.00 ms there and back if processes that are equally far from another one are near "
            "each other, else up to 4.00 ms, 4.00 ms now");
  EXPECT_NEAR(LongestWay(advice.parents, latency), advice.least, 1e-9);
}

TEST(Advice, AChainOfFarLinksIsWorthATree) {
  const Advice advice = AdviceFor({-1, 0, 1, 2}, [](int32_t, int32_t) { return 2e-3; });
  EXPECT_EQ(advice.gain(), Advice::Gain::kLikely);
  EXPECT_EQ(Compare(advice), "the longest way takes 4.00 ms there and back, 6.00 ms now");
}

// In networks of nested clusters, the prediction is exact but for assumptions, and no promise is broken.
TEST(Advice, PromisesAreKept) {
  std::mt19937 random(5);
  const Latency latency = [](int32_t a, int32_t b) {
    return a / 8 != b / 8 ? 5e-3 : a / 2 != b / 2 ? 400e-6 : a != b ? 2e-6 : 0;
  };
  int likely = 0;
  for (int round = 0; round < 300; ++round) {
    Parents tree(2 + random() % 30, -1);
    for (size_t r = 1; r < tree.size(); ++r) tree[r] = static_cast<int32_t>(random() % r);
    const Advice advice = AdviceFor(tree, latency);
    const double now = LongestWay(tree, latency), then = LongestWay(advice.parents, latency);
    EXPECT_NEAR(advice.now, now, 1e-9);
    EXPECT_LE(then, advice.most + 1e-9);
    if (advice.gain() != Advice::Gain::kLikely) continue;
    ++likely;
    EXPECT_LT(then, now);
  }
  EXPECT_GT(likely, 30);
}

}  // namespace
}  // namespace epik::monitor
