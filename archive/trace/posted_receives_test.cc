// SPDX-License-Identifier: BSD-3-Clause
#include "archive/trace/posted_receives.h"

#include <gtest/gtest.h>

#include <string>

namespace epik::archive {
namespace {

using Receives = PostedReceives<std::string>;
using Names = std::vector<std::string>;

TEST(PostedReceives, EndInTheOrderOfPosting) {
  Receives receives;
  Names now;
  receives.Post(1, {0, 5, 7}, &now);
  receives.Post(2, {0, 5, 7}, &now);
  receives.Complete(2, {0, 5, 7}, "second", &now);
  EXPECT_EQ(now, Names());
  receives.Complete(1, {0, 5, 7}, "first", &now);
  EXPECT_EQ(now, (Names{"first", "second"}));
}

TEST(PostedReceives, WaitForWildcardsOnly) {
  Receives receives;
  Names now;
  receives.Post(1, {0, -1, -1}, &now);
  receives.Post(2, {1, 5, 7}, &now);
  receives.Complete(2, {1, 5, 7}, "other communicator", &now);
  EXPECT_EQ(now, (Names{"other communicator"}));
  receives.Complete(0, {0, 3, 2}, "blocking", &now);
  EXPECT_EQ(now.size(), 1u);
  receives.Complete(1, {0, 3, 9}, "wildcard", &now);  // it has another tag, so it took nothing from the blocking one
  EXPECT_EQ(now, (Names{"other communicator", "wildcard", "blocking"}));
}

TEST(PostedReceives, SayWhatTheyTake) {
  Receives receives;
  Names now;
  receives.Post(1, {0, 5, 7}, &now);
  ASSERT_NE(receives.AcceptsOf(1), nullptr);
  EXPECT_EQ(receives.AcceptsOf(1)->from, 5);
  EXPECT_EQ(receives.AcceptsOf(2), nullptr);
  receives.Complete(1, {0, 5, 7}, "first", &now);
  EXPECT_EQ(receives.AcceptsOf(1), nullptr);
}

TEST(PostedReceives, GoOnWithoutThoseThatNeverEnd) {
  Receives receives;
  Names now;
  receives.Post(1, {0, 5, 7}, &now);
  receives.Post(2, {0, 5, 7}, &now);
  receives.Post(3, {0, 5, 7}, &now);
  receives.Complete(3, {0, 5, 7}, "third", &now);
  receives.Cancel(1, &now);
  EXPECT_EQ(now, Names());
  receives.Rest(&now);
  EXPECT_EQ(now, (Names{"third"}));
  receives.Complete(9, {0, 5, 7}, "never posted", &now);
  EXPECT_EQ(now.size(), 2u);
  for (uint64_t request = 10; request < 10'000; ++request) receives.Post(request, {0, 5, 7}, &now);
  receives.Complete(9'999, {0, 5, 7}, "last", &now);
  for (uint64_t request = 9'998; request > 5'000; --request) receives.Complete(request, {0, 5, 7}, "more", &now);
  receives.Rest(&now);
  EXPECT_EQ(now.size(), 3u + 9'998 - 5'000);
}

// It may take any of the messages, so that they wait for it: as many as are looked at.
TEST(PostedReceives, OneThatHoldsUpAllOthersIsGivenUp) {
  Receives receives;
  Names now;
  receives.Post(1, {0, -1, -1}, &now);
  for (uint64_t request = 2; request < 300'000; ++request) {
    receives.Post(request, {0, 5, 7}, &now);
    receives.Complete(request, {0, 5, 7}, "done", &now);
  }
  EXPECT_EQ(receives.AcceptsOf(1), nullptr);
  receives.Rest(&now);
  EXPECT_EQ(now.size(), 299'998u);
}

// A thread may listen for messages with a tag of its own. We keep its receive, and other messages do not wait for it.
TEST(PostedReceives, OneThatStaysOpenIsNotInTheWay) {
  Receives receives;
  Names now;
  receives.Post(1, {0, -1, 99}, &now);
  for (uint64_t request = 2; request < 300'000; ++request) {
    receives.Post(request, {0, 5, 7}, &now);
    receives.Complete(request, {0, 5, 7}, "done", &now);
  }
  EXPECT_EQ(now.size(), 299'998u);
  ASSERT_NE(receives.AcceptsOf(1), nullptr);
  receives.Complete(0, {0, 3, 99}, "waits for the listener", &now);
  EXPECT_EQ(now.size(), 299'998u);
  receives.Complete(1, {0, 3, 99}, "listener", &now);
  EXPECT_EQ(now.size(), 300'000u);
}

}  // namespace
}  // namespace epik::archive
