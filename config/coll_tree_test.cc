// SPDX-License-Identifier: BSD-3-Clause
#include "config/coll_tree.h"

#include <gtest/gtest.h>

namespace epik::config {
namespace {

using Kind = CollTree::Kind;

TEST(CollTree, WordsAreReadAndWrittenBack) {
  for (const char* text : {"off", "flat", "kary:1", "kary:1048576", "binomial", "host", "file:a b:c"}) {
    CollTree tree;
    ASSERT_TRUE(ParseCollTree(text, &tree)) << text;
    EXPECT_EQ(FormatCollTree(tree), text);
  }
}

TEST(CollTree, AnythingElseIsRefusedAndChangesNothing) {
  CollTree tree = {Kind::kKary, 3, ""};
  for (const char* text : {"", "tree", "kary", "kary:", "kary:0", "kary:-1", "kary:2x", "kary:1048577",
                           "flat:", "flat:1", "file", "file:", "Flat", "kary:99999999999999"}) {
    EXPECT_FALSE(ParseCollTree(text, &tree)) << text;
  }
  EXPECT_EQ(tree.arity, 3u);
}

std::string Wrong(const char* text, uint32_t ranks) {
  std::vector<int32_t> parents;
  std::string error;
  return ReadParents(text, ranks, &parents, &error) ? "" : error;
}

TEST(CollTree, AFileMapsEveryRank) {
  std::vector<int32_t> parents;
  std::string error;
  ASSERT_TRUE(ReadParents("# from epk monitor\n2 -\n0 2 # near\n\n  1\t0\r\n3 2", 4, &parents, &error)) << error;
  EXPECT_EQ(parents, (std::vector<int32_t>{2, 0, -1, 2}));
  std::vector<int32_t> again;
  ASSERT_TRUE(ReadParents(WriteParents(parents, "copy"), 4, &again, &error)) << error;
  EXPECT_EQ(again, parents);
}

TEST(CollTree, AFileThatIsNoTreeSaysWhere) {
  EXPECT_EQ(Wrong("", 1), "rank 0 is missing");
  EXPECT_EQ(Wrong("0 -\n1", 2), "line 2: a line is RANK PARENT, where the parent of the root is -");
  EXPECT_EQ(Wrong("0 -\n1 0 0", 2), "line 2: a line is RANK PARENT, where the parent of the root is -");
  EXPECT_EQ(Wrong("0 -\n- 0", 2), "line 2: a line is RANK PARENT, where the parent of the root is -");
  EXPECT_EQ(Wrong("0 -\n2 0", 2), "line 2: the job has the ranks 0 to 1");
  EXPECT_EQ(Wrong("0 -\n1 9", 2), "line 2: the job has the ranks 0 to 1");
  EXPECT_EQ(Wrong("0 -\n1 -\n", 2), "ranks 0 and 1 are both roots");
  EXPECT_EQ(Wrong("0 1\n1 0\n", 2), "there is no root: its parent is -");
  EXPECT_EQ(Wrong("0 -\n1 2\n2 1\n", 3), "rank 1 is above itself");
  EXPECT_EQ(Wrong("0 -\n1 0\n1 0\n", 2), "line 3: rank 1 is there twice");
}

TEST(CollTree, AChainOfManyIsWalkedOnce) {
  constexpr uint32_t kRanks = 200'000;
  std::vector<int32_t> parents(kRanks), again;
  for (uint32_t r = 0; r < kRanks; ++r) parents[r] = r + 1 == kRanks ? -1 : static_cast<int32_t>(r + 1);
  std::string error;
  ASSERT_TRUE(ReadParents(WriteParents(parents, ""), kRanks, &again, &error)) << error;
  EXPECT_EQ(again, parents);
}

}  // namespace
}  // namespace epik::config
