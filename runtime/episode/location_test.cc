// SPDX-License-Identifier: BSD-3-Clause
// Scripts of events, at times that the test chooses, against the arena's contents afterwards.
#include "runtime/episode/location.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "archive/image/process_image.h"
#include "runtime/base/arena.h"
#include "runtime/episode/frames.h"
#include "runtime/episode/location_hot.h"
#include "runtime/episode/room.h"

namespace epik::episode {
namespace {

using archive::LocationImage;
using archive::ProcessImage;

class LocationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    base::clock_is_tsc = false;
    ForgetAll();
    epitome::path_limit = 0;
    frame_limit = 0;
    first_frames = 1024;
    thread_limit = 0;
    ASSERT_EQ(base::Arena::Create(nullptr, 64u << 20), 0);
    ASSERT_TRUE(epitome::OpenTables(64u << 20));
    Start();
  }
  void TearDown() override {
    if (current != nullptr) Detach(current, now_);
    base::Arena::Destroy();
    epitome::CloseTables();
    ForgetAll();
  }

  void Start() {
    if (current != nullptr) Detach(current, now_);
    ForgetAll();
    Inside guard;
    location_ = Attach(Origin{}, now_);
  }

  // "1 enter a 2 enter b 5 exit b 9 exit a": times, and the events at these times.
  void Replay(const std::string& script) {
    std::istringstream words(script);
    std::string what, region;
    while (words >> now_ >> what >> region) {
      const auto at = [this] { return now_; };
      stack_ -= what == "enter" ? 64 : 0;
      if (what == "enter") Enter(location_, KeyOf(region), stack_, at);
      if (what == "exit") Exit(location_, KeyOf(region), stack_, at);
      stack_ += what == "exit" ? 64 : 0;
    }
  }

  Key KeyOf(const std::string& name) {
    Key& key = keys_[name];
    if (key == 0) {
      key = 0x400000 + 16 * keys_.size();
      names_[key] = name;
    }
    return key;
  }

  ProcessImage Image() {
    ProcessImage image;
    std::string error;
    EXPECT_TRUE(archive::ReadProcessImage(base::arena_base, 64u << 20, &image, &error)) << error;
    return image;
  }

  // "a 1 8\na/b 1 3\n": call path, visits, inclusive ticks; by first visit.
  std::string Tree(const LocationImage& location) {
    std::string text;
    for (const event::Node& node : location.nodes) {
      std::string path;
      for (const event::Node* n = &node;; n = &location.nodes[n->parent]) {
        const auto found = names_.find(n->key);
        const std::string name = found != names_.end() ? found->second : event::RegionOf(n->key) == 1 ? "" : "thread";
        path = path.empty() ? name : name + "/" + path;
        if (n->parent == archive::kNoNode) break;
      }
      text += path + " " + std::to_string(node.visits) + " " + std::to_string(node.ticks) + "\n";
    }
    return text;
  }
  std::string Tree() { return Tree(Image().locations.at(0)); }

  Location* location_ = nullptr;
  uint64_t now_ = 0;
  uint64_t stack_ = 1u << 20;
  std::map<std::string, Key> keys_;
  std::map<Key, std::string> names_;
};

TEST_F(LocationTest, VisitsAndInclusiveTimes) {
  Replay("1 enter a 2 enter b 5 exit b 6 enter b 7 exit b 9 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 8\n/a/b 2 4\n");
}

TEST_F(LocationTest, MinMaxAndSquares) {
  Replay("1 enter a 3 exit a 10 enter a 15 exit a 20 enter a 23 exit a");
  const event::Node node = Image().locations.at(0).nodes.at(1);
  EXPECT_EQ(node.min, 2u);
  EXPECT_EQ(node.max, 5u);
  EXPECT_EQ(node.squares, 4 + 25 + 9);
}

TEST_F(LocationTest, RecursionMakesAPathOfEachDepth) {
  Replay("1 enter f 2 enter f 3 enter f 4 exit f 6 exit f 9 exit f");
  EXPECT_EQ(Tree(), " 0 0\n/f 1 8\n/f/f 1 4\n/f/f/f 1 1\n");
}

TEST_F(LocationTest, SkippedReturnsAreRepairedAtTheNextMatch) {
  Replay("1 enter a 2 enter b 3 enter c 10 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 9\n/a/b 1 8\n/a/b/c 1 7\n");
  EXPECT_EQ(location_->repairs, 2u);
}

TEST_F(LocationTest, ExitWithoutEnterIsIgnoredAndCounted) {
  Replay("1 enter a 2 exit b 3 exit a 4 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 2\n");
  EXPECT_EQ(location_->unmatched, 2u);
}

TEST_F(LocationTest, JumpClosesExactlyWhatItSkips) {
  Replay("1 enter a 2 enter b 3 enter c");
  CloseLeftBehind(location_, event::FrameAt(location_->bottom + 2)->stack + 16, {0, 0}, 5);  // back into a
  Replay("6 enter d 7 exit d 8 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 7\n/a/b 1 3\n/a/b/c 1 2\n/a/d 1 1\n");
  EXPECT_EQ(location_->repairs, 2u);
}

TEST_F(LocationTest, DeepRecursionGrowsTheStack) {
  const auto at = [this] { return ++now_; };
  const Key f = KeyOf("f");
  constexpr int kDeep = 150'000;
  for (int i = 0; i < kDeep; ++i) Enter(location_, f, stack_ - static_cast<uint64_t>(i), at);
  for (int i = 0; i < kDeep; ++i) Exit(location_, f, stack_, at);
  const ProcessImage image = Image();
  EXPECT_EQ(location_->top, location_->bottom + 1);
  EXPECT_EQ(image.locations.at(0).nodes.size(), size_t{kDeep} + 1);
  EXPECT_EQ(image.locations.at(0).nodes.at(1).ticks, 2u * kDeep - 1);
  EXPECT_EQ(image.locations.at(0).folded_visits, 0u);
}

TEST_F(LocationTest, BeyondThePathLimitVisitsAreCountedAndTimeStaysWithTheCaller) {
  epitome::path_limit = 3;  // the program, a, a/b
  Replay("1 enter a 2 enter b 3 enter c 4 enter d 6 exit d 7 exit c 8 exit b 9 enter e 11 exit e 12 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 11\n/a/b 1 6\n");
  EXPECT_EQ(Image().locations.at(0).folded_visits, 3u);
}

TEST_F(LocationTest, WhatIsBelowTheUnrecordedIsNotMixedUpWithPathsOfTheSameName) {
  epitome::path_limit = 3;
  // b exists below a; the b below the unrecorded c is another node.
  Replay("1 enter a 2 enter b 3 exit b 4 enter c 5 enter b 6 exit b 7 exit c 8 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 7\n/a/b 1 1\n");
  EXPECT_EQ(Image().locations.at(0).folded_visits, 2u);
}

TEST_F(LocationTest, BeyondTheFrameLimitCallsAreCountedAndTheStackStaysRight) {
  frame_limit = 3;  // the program's and two more
  Start();
  Replay("1 enter a 2 enter b 3 enter c 4 enter a 5 enter b 6 exit b 7 exit a 8 exit c 9 exit b 10 exit a");
  EXPECT_EQ(Tree(Image().locations.at(1)), " 0 0\n/a 1 9\n/a/b 1 7\n");
  EXPECT_EQ(Image().locations.at(1).folded_visits, 3u);
  EXPECT_EQ(location_->top, location_->bottom + 1);
}

TEST_F(LocationTest, JumpOverTheFrameLimit) {
  frame_limit = 3;
  Start();
  Replay("1 enter a 2 enter b 3 enter c 4 enter d");
  CloseLeftBehind(location_, event::FrameAt(location_->bottom + 2)->stack + 16, {0, 0}, 5);
  Replay("6 enter e 7 exit e 8 exit a");
  EXPECT_EQ(Tree(Image().locations.at(1)), " 0 0\n/a 1 7\n/a/b 1 3\n/a/e 1 1\n");
  EXPECT_EQ(Image().locations.at(1).folded_visits, 2u);
}

// The number whose product with a hash function's factor is one.
uint64_t Inverse(uint64_t odd) {
  uint64_t inverse = odd;
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

TEST_F(LocationTest, KeysOfOneMarkAreToldApartWhenTheCallEnds) {
  const Key first = 0x400100;
  const uint64_t hash = epitome::TableHash(first);
  const Key second = (hash ^ 1) * Inverse(epitome::TableHash(1));
  ASSERT_EQ(epitome::LongMark(epitome::TableHash(second)), epitome::LongMark(hash));
  const Key others[] = {0x400200, 0x400300};
  const auto at = [this] { return ++now_; };
  const auto call = [&](Key key) {
    Enter(location_, key, stack_, at);
    Exit(location_, key, stack_, at);
  };
  for (const Key key : {others[0], first, others[1]}) call(key);
  ASSERT_TRUE(epitome::marks_are_trusted);
  for (int i = 0; i < 20; ++i) {
    for (const Key key : {second, others[0], first, others[1]}) call(key);
  }
  EXPECT_FALSE(epitome::marks_are_trusted);
  const LocationImage image = Image().locations.at(0);
  ASSERT_EQ(image.nodes.size(), 5u);
  std::map<Key, uint64_t> visits;
  for (const event::Node& node : image.nodes) visits[node.key] += node.visits;
  EXPECT_EQ(visits[first], 21u);
  EXPECT_EQ(visits[second], 20u);
  EXPECT_EQ(visits[others[0]], 21u);
  EXPECT_EQ(visits[others[1]], 21u);
}

TEST_F(LocationTest, ThousandsOfChildrenAreAllFound) {
  std::string script;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 3000; ++i) {
      const Key key = KeyOf("f" + std::to_string((i * 7919) % 3000));
      const auto at = [this] { return ++now_; };
      Enter(location_, key, stack_, at);
      Exit(location_, key, stack_, at);
    }
  }
  const LocationImage image = Image().locations.at(0);
  ASSERT_EQ(image.nodes.size(), 3001u);
  for (size_t i = 1; i < image.nodes.size(); ++i) EXPECT_EQ(image.nodes[i].visits, 3u);
}

TEST_F(LocationTest, OpenFramesAreReadable) {
  Replay("1 enter a 2 enter b 5 exit b 6 enter c");
  const LocationImage image = Image().locations.at(0);
  ASSERT_EQ(image.frames.size(), 3u);
  EXPECT_EQ(image.frames[1].key, KeyOf("a"));
  EXPECT_EQ(image.frames[2].key, KeyOf("c"));
  EXPECT_EQ(image.frames[2].entered, 6u);
}

// Events of a signal handler that comes right after the hook has read the clock.
TEST_F(LocationTest, HandlerBetweenClockAndFrameIsNotInsideTheRegion) {
  Replay("1 enter a");
  Enter(location_, KeyOf("f"), stack_, [this] {
    Replay("6 enter h 8 exit h");
    return uint64_t{5};
  });
  Replay("9 exit f 10 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 9\n/a/f 1 1\n/a/h 1 2\n");
}

TEST_F(LocationTest, HandlerBetweenClockAndReturnIsInsideTheRegion) {
  Replay("1 enter a 2 enter f");
  Exit(location_, KeyOf("f"), stack_, [this] {
    Replay("6 enter h 8 exit h");
    return uint64_t{5};
  });
  Replay("10 exit a");
  EXPECT_EQ(Tree(), " 0 0\n/a 1 9\n/a/f 1 6\n/a/f/h 1 2\n");
  const event::Node f = Image().locations.at(0).nodes.at(2);
  EXPECT_EQ(f.min, 6u);
  EXPECT_EQ(f.max, 6u);
  EXPECT_EQ(f.squares, 36);
}

// There, visits are added to their call paths later.
TEST_F(LocationTest, HandlerBetweenClockAndReturnInALargeTree) {
  location_->paths = epitome::kNearPaths + 1;
  Replay("1 enter a 2 enter f 3 exit f 4 enter f");
  Exit(location_, KeyOf("f"), stack_, [this] {
    Replay("6 enter h 8 exit h");
    return uint64_t{5};
  });
  for (int i = 0; i < 20; ++i) Replay(std::to_string(10 + i) + " enter g " + std::to_string(10 + i) + " exit g");
  Replay("40 exit a");
  const event::Node f = Image().locations.at(0).nodes.at(2);
  EXPECT_EQ(f.visits, 2u);
  EXPECT_EQ(f.ticks, 5u);
  EXPECT_EQ(f.min, 1u);
  EXPECT_EQ(f.max, 4u);
  EXPECT_EQ(f.squares, 17);
}

TEST_F(LocationTest, HandlerThatMovesTheStackWhileAFrameIsBeingFilled) {
  Replay("1 enter a");
  const auto at = [this] { return ++now_; };
  Enter(location_, KeyOf("f"), stack_, [&] {
    const uint32_t before = location_->bottom;
    int deep = 0;
    for (; location_->bottom == before; ++deep) Enter(location_, KeyOf("h"), stack_, at);
    for (; deep > 0; --deep) Exit(location_, KeyOf("h"), stack_, at);
    return ++now_;
  });
  Exit(location_, KeyOf("f"), stack_, at);
  Exit(location_, KeyOf("a"), stack_, at);
  EXPECT_EQ(location_->top, location_->bottom + 1);
  EXPECT_EQ(location_->unmatched, 0u);
  EXPECT_EQ(location_->repairs, 0u);
}

TEST_F(LocationTest, PlacesOfEndedThreadsAreReused) {
  Replay("1 enter a 2 exit a");
  Detach(location_, 3);
  Inside guard;
  Location* next = Attach(Origin{}, 10);
  EXPECT_EQ(next, location_);
  EXPECT_EQ(next->threads, 2u);
  location_ = next;
  Replay("11 enter a 13 exit a");
  EXPECT_EQ(Tree(), " 1 3\n/a 2 3\n");
}

TEST_F(LocationTest, MemoryThatRunsOutFoldsAndNothingIsLost) {
  uint64_t calls = 0;
  const auto at = [this] { return ++now_; };
  // Some 900 000 nodes fit into 64 MiB; ask for more.
  for (int i = 0; i < 1'200'000; ++i, ++calls) Enter(location_, 0x400000 + 16 * static_cast<Key>(i), stack_, at);
  for (int i = 1'200'000; i-- > 0;) Exit(location_, 0x400000 + 16 * static_cast<Key>(i), stack_, at);
  const LocationImage image = Image().locations.at(0);
  uint64_t visits = image.folded_visits;
  for (const event::Node& node : image.nodes) visits += node.visits;
  EXPECT_GT(image.folded_visits, 0u);
  EXPECT_EQ(visits, calls) << "unmatched " << location_->unmatched << " repairs " << location_->repairs << " skipped "
                           << Image().skipped << " paths " << location_->paths << " nodes " << image.nodes.size();
  EXPECT_NE(base::Arena::Exhausted(), 0);
  EXPECT_EQ(location_->top, location_->bottom + 1);
}

TEST_F(LocationTest, AForkedChildGetsRoomsOfItsOwn) {
  Location far = {};
  far.number = 1000;  // those with lower numbers have no room
  void* const parents = TakeRoom(&far, Room::kHeldLocks, 8);
  ForgetRooms();
  EXPECT_NE(TakeRoom(&far, Room::kHeldLocks, 8), parents);
  ForgetRooms();
}

}  // namespace
}  // namespace epik::episode
