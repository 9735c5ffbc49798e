// SPDX-License-Identifier: BSD-3-Clause
// Compares trees of all kinds with a slow and obvious computation.
#include "adapters/mpi/spanning_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <vector>

namespace epik::mpi {
namespace {

std::vector<int32_t> All(int32_t size) {
  std::vector<int32_t> members(static_cast<size_t>(size));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

std::vector<int32_t> Parents(const EpikCollTree& shape, const std::vector<int32_t>& members) {
  SpanningTree tree;
  EXPECT_TRUE(tree.Make(shape, members.data(), static_cast<int32_t>(members.size())));
  std::vector<int32_t> parents;
  for (int32_t r = 0; r < tree.size(); ++r) parents.push_back(tree.Parent(r));
  return parents;
}

using Ranks = std::vector<int32_t>;

TEST(SpanningTree, ShapesAreWhatTheirNamesSay) {
  EXPECT_EQ(Parents({EpikTreeKind::kFlat, 0, 4, nullptr, nullptr}, All(4)), (Ranks{-1, 0, 0, 0}));
  EXPECT_EQ(Parents({EpikTreeKind::kKary, 1, 4, nullptr, nullptr}, All(4)), (Ranks{-1, 0, 1, 2}));
  EXPECT_EQ(Parents({EpikTreeKind::kKary, 2, 7, nullptr, nullptr}, All(7)), (Ranks{-1, 0, 1, 1, 0, 4, 4}));
  EXPECT_EQ(Parents({EpikTreeKind::kKary, 100, 3, nullptr, nullptr}, All(3)), (Ranks{-1, 0, 0}));
  EXPECT_EQ(Parents({EpikTreeKind::kBinomial, 0, 6, nullptr, nullptr}, All(6)), (Ranks{-1, 0, 0, 2, 0, 4}));
}

TEST(SpanningTree, HostsAreEnteredOnce) {
  const uint64_t hosts[] = {9, 3, 9, 3, 9, 7};
  const Ranks parents = Parents({EpikTreeKind::kHost, 0, 6, nullptr, hosts}, All(6));
  // 0, 1 and 5 come first on their hosts.
  EXPECT_EQ(parents, (Ranks{-1, 0, 0, 1, 0, 0}));
  // A communicator of a part of the job, in another order.
  EXPECT_EQ(Parents({EpikTreeKind::kHost, 0, 6, nullptr, hosts}, {5, 3, 1, 4}), (Ranks{-1, 0, 1, 0}));
}

TEST(SpanningTree, AMappingIsCutToTheMembers) {
  const int32_t parents[] = {-1, 0, 1, 2, 0, 4};
  const EpikCollTree shape = {EpikTreeKind::kMapped, 0, 6, parents, nullptr};
  EXPECT_EQ(Parents(shape, All(6)), (Ranks{-1, 0, 1, 2, 0, 4}));
  EXPECT_EQ(Parents(shape, {3, 1, 5}), (Ranks{1, -1, 1}));
  EXPECT_EQ(Parents(shape, {5, 3, -1, 2}), (Ranks{-1, 3, 0, 0}));  // one is of another job
}

void CheckAll(const SpanningTree& tree) {
  const int32_t size = tree.size();
  const auto below = [&](int32_t top) {
    std::set<int32_t> ranks;
    for (int32_t r = 0; r < size; ++r) {
      int32_t at = r;
      while (at >= 0 && at != top) at = tree.Parent(at);
      if (at == top) ranks.insert(r);
    }
    return ranks;
  };
  std::set<int32_t> all;
  for (int32_t p = 0; p < size; ++p) all.insert(tree.RankAt(p));
  EXPECT_EQ(all.size(), static_cast<size_t>(size));
  for (int32_t r = 0; r < size; ++r) {
    EXPECT_EQ(tree.RankAt(tree.PlaceOf(r)), r);
    const std::set<int32_t> mine = below(r);
    EXPECT_EQ(static_cast<size_t>(tree.SizeOf(r)), mine.size());
    int32_t before = -1;
    for (int32_t c = tree.FirstChild(r); c >= 0; c = tree.NextChild(c)) {
      EXPECT_EQ(tree.Parent(c), r);
      EXPECT_GT(c, before);
      before = c;
    }
    for (int32_t to = 0; to < size; ++to) {
      const int32_t next = tree.Towards(r, to);
      if (to == r) {
        EXPECT_LT(next, 0);
        continue;
      }
      EXPECT_TRUE(next == tree.Parent(r) || tree.Parent(next) == r);
      EXPECT_EQ(mine.count(to) == 1, tree.Parent(next) == r && below(next).count(to) == 1);
      // Our side of the edge to this neighbour.
      std::set<int32_t> side;
      const SpanningTree::Side ours = tree.SideOf(r, next);
      for (int32_t i = 0; i < ours.count; ++i) side.insert(tree.RankAt((ours.first + i) % size));
      std::set<int32_t> expected = mine;
      if (tree.Parent(next) == r) {
        expected = all;
        for (const int32_t other : below(next)) expected.erase(other);
      }
      EXPECT_EQ(side, expected);
    }
  }
}

TEST(SpanningTree, SidesAndWaysAreThoseOfAnyTree) {
  std::mt19937 random(1);
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<int32_t>(1 + random() % 20);
    // In a random order, each process but the first hangs below one before it.
    Ranks order = All(size), parents(static_cast<size_t>(size), -1);
    std::shuffle(order.begin(), order.end(), random);
    for (size_t i = 1; i < order.size(); ++i) parents[static_cast<size_t>(order[i])] = order[random() % i];
    SpanningTree tree;
    ASSERT_TRUE(tree.Make({EpikTreeKind::kMapped, 0, static_cast<uint32_t>(size), parents.data(), nullptr},
                          All(size).data(), size));
    EXPECT_EQ(tree.root(), order[0]);
    CheckAll(tree);
  }
}

TEST(SpanningTree, OrderIsKnown) {
  const auto is_ordered = [](const EpikCollTree& shape, int32_t size) {
    SpanningTree tree;
    EXPECT_TRUE(tree.Make(shape, All(size).data(), size));
    CheckAll(tree);
    return tree.IsOrdered();
  };
  for (int32_t size = 1; size < 20; ++size) {
    EXPECT_TRUE(is_ordered({EpikTreeKind::kBinomial, 0, 20, nullptr, nullptr}, size));
    for (const uint32_t arity : {1u, 2u, 3u, 7u}) {
      EXPECT_TRUE(is_ordered({EpikTreeKind::kKary, arity, 20, nullptr, nullptr}, size));
    }
  }
  const int32_t parents[] = {-1, 2, 0};
  EXPECT_FALSE(is_ordered({EpikTreeKind::kMapped, 0, 3, parents, nullptr}, 3));
}

TEST(SpanningTree, AChainOfManyIsNoRecursion) {
  constexpr int32_t kRanks = 200'000;
  SpanningTree tree;
  ASSERT_TRUE(tree.Make({EpikTreeKind::kKary, 1, kRanks, nullptr, nullptr}, All(kRanks).data(), kRanks));
  EXPECT_EQ(tree.Towards(kRanks - 1, 0), kRanks - 2);
  EXPECT_EQ(tree.SizeOf(kRanks / 2), kRanks / 2);
}

}  // namespace
}  // namespace epik::mpi
